import { type Fault, killAt } from '../kill-at.ts';
import { startLicensingServer } from '../licensing-server.ts';
import { adapterNamed } from '../store-adapters.ts';

/** The job of the program, its argument as JSON. */
export interface LicensingNodeJob {
  adapter: string;
  location: string;
  fault?: Fault;
}

// A child process: a node that sells licenses, which prints its port as JSON.
const { adapter, location, fault }: LicensingNodeJob = JSON.parse(process.argv[2]!);
const server = await startLicensingServer(adapterNamed(adapter), location);
if (fault !== undefined) killAt(fault, server.app.server);
process.stdout.write(`${JSON.stringify({ port: server.port })}\n`);
