import type { Server } from 'node:http';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';
import pg from 'pg';

/**
 * When a process kills itself: as soon as the first request has made that many calls of the database, or instead of the
 * response.
 */
export type Fault = number | 'response';

/** The arguments of Node for a program that uses `killAt`, so that the calls of its threads count, too. */
export const KILLABLE = ['--import', fileURLToPath(import.meta.url)];

/** The name of the numbers that all threads of a process share. */
const NAME = 'stave kill at';
/** Their places: 1 from the first request on, the calls since then, and the call that is the last one. */
const [IS_COUNTING, CALLS, LAST_CALL] = [0, 1, 2];

const kill = () => process.kill(process.pid, 'SIGKILL');

/** Lets this process kill itself while its server does a request. Must be called before that starts threads. */
export function killAt(fault: Fault, server: Server): void {
  const numbers = new Int32Array(new SharedArrayBuffer(12));
  setEnvironmentData(NAME, numbers);
  if (fault !== 'response') numbers[LAST_CALL] = fault;
  countCallsOfThread(numbers);
  server.prependListener('request', (_, response) => {
    numbers[IS_COUNTING] = 1;
    if (fault === 'response') Object.assign(response, { writeHead: kill, write: kill, end: kill });
  });
}

function countCallsOfThread(numbers: Int32Array): void {
  // biome-ignore lint/suspicious/noExplicitAny: the methods have different types
  function countCalls(owner: any, ...names: string[]): void {
    for (const name of names) {
      const original = owner[name];
      owner[name] = function (...given: unknown[]) {
        const result = original.apply(this, given);
        const isCounting = Atomics.load(numbers, IS_COUNTING) === 1;
        if (isCounting && Atomics.add(numbers, CALLS, 1) + 1 === numbers[LAST_CALL]) kill();
        return result;
      };
    }
  }

  countCalls(DatabaseSync.prototype, 'exec');
  countCalls(StatementSync.prototype, 'run', 'all', 'get');
  countCalls(pg.Client.prototype, 'query');
}

if (!isMainThread) {
  const numbers = getEnvironmentData(NAME);
  if (numbers !== undefined) countCallsOfThread(numbers as Int32Array);
}
