import { type Fault, killAt } from '../kill-at.ts';
import { startNoteServer } from '../note-server.ts';
import { adapterNamed } from '../store-adapters.ts';

/** The job of the program, its argument as JSON. */
export interface NoteNodeJob {
  adapter: string;
  location: string;
  /** How far the clock is ahead. */
  seconds?: number;
  fault?: Fault;
}

// A child process: a node with the routes of notes, which prints its port as JSON.
const { adapter, location, seconds = 0, fault }: NoteNodeJob = JSON.parse(process.argv[2]!);
const clock = { now: () => Date.now() + seconds * 1_000 };
const server = await startNoteServer(adapterNamed(adapter), location, clock);
if (fault !== undefined) killAt(fault, server.app.server);
process.stdout.write(`${JSON.stringify({ port: server.port })}\n`);
