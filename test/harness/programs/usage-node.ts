import { type Fault, killAt } from '../kill-at.ts';
import { adapterNamed } from '../store-adapters.ts';
import { startUsageServer } from '../usage-server.ts';

/** The job of the program, its argument as JSON. */
export interface UsageNodeJob {
  adapter: string;
  location: string;
  fault?: Fault;
}

// A child process: a node that takes reports of usage, which prints its port as JSON.
const { adapter, location, fault }: UsageNodeJob = JSON.parse(process.argv[2]!);
const server = await startUsageServer(adapterNamed(adapter), location);
if (fault !== undefined) killAt(fault, server.app.server);
process.stdout.write(`${JSON.stringify({ port: server.port })}\n`);
