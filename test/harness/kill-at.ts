import type { Server } from 'node:http';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import pg from 'pg';

/**
 * When a process kills itself: as soon as the first request has made that many calls of the database, or instead of the
 * response.
 */
export type Fault = number | 'response';

/** Lets this process kill itself while its server does a request. */
export function killAt(fault: Fault, server: Server): void {
  let isCounting = false;
  let calls = 0;
  const kill = () => process.kill(process.pid, 'SIGKILL');

  // biome-ignore lint/suspicious/noExplicitAny: the methods have different types
  function countCalls(owner: any, ...names: string[]): void {
    for (const name of names) {
      const original = owner[name];
      owner[name] = function (...given: unknown[]) {
        const result = original.apply(this, given);
        if (isCounting && ++calls === fault) kill();
        return result;
      };
    }
  }

  countCalls(DatabaseSync.prototype, 'exec');
  countCalls(StatementSync.prototype, 'run', 'all', 'get');
  countCalls(pg.Client.prototype, 'query');
  server.prependListener('request', (_, response) => {
    isCounting = true;
    if (fault === 'response') Object.assign(response, { writeHead: kill, write: kill, end: kill });
  });
}
