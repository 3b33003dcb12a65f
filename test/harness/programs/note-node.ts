import { DatabaseSync, StatementSync } from 'node:sqlite';
import pg from 'pg';
import { startNoteServer } from '../note-server.ts';
import { adapterNamed } from '../store-adapters.ts';

/** The job of the program, its argument as JSON. */
export interface NoteNodeJob {
  adapter: string;
  location: string;
  /** How far the clock is ahead. */
  seconds?: number;
  /** The node kills itself as soon as the first request has made that many calls of the database. */
  fault?: number;
}

// A child process: a node with the routes of notes, which prints its port as JSON.
const { adapter, location, seconds = 0, fault }: NoteNodeJob = JSON.parse(process.argv[2]!);

let isCounting = false;
let calls = 0;

// biome-ignore lint/suspicious/noExplicitAny: the methods have different types
function countCalls(owner: any, ...names: string[]): void {
  for (const name of names) {
    const original = owner[name];
    owner[name] = function (...given: unknown[]) {
      const result = original.apply(this, given);
      if (isCounting && ++calls === fault) process.kill(process.pid, 'SIGKILL');
      return result;
    };
  }
}

if (fault !== undefined) {
  countCalls(DatabaseSync.prototype, 'exec');
  countCalls(StatementSync.prototype, 'run', 'all', 'get');
  countCalls(pg.Client.prototype, 'query');
}
const clock = { now: () => Date.now() + seconds * 1_000 };
const server = await startNoteServer(adapterNamed(adapter), location, clock);
server.app.server.prependListener('request', () => {
  isCounting = true;
});
process.stdout.write(`${JSON.stringify({ port: server.port })}\n`);
