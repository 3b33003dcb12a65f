import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DATABASE_FILE } from '../src/app/open/data-folder.ts';
import { openSqliteStore } from '../src/app/open/open-sqlite.ts';
import { systemClock } from '../src/common/clock.ts';
import { createClient } from '../src/features/access/clients.ts';
import type { Store } from '../src/features/store.ts';
import { deliveries, importAll } from '../test/harness/deliveries.ts';
import { setTrackState } from '../test/harness/track-state.ts';
import { type BenchClient, tokenFor } from './client.ts';
import { shownSpread, spread } from './figures.ts';
import { cpuSeconds, memoryMegabytes, serve } from './processes.ts';
import type { Row } from './row.ts';

const PORT = 18_170;
const METRICS_PORT = 18_171;
const CLIENTS = 100;
/** As many as may wait of one client. */
const OF_CLIENT = 10;
const BURST = 100;
const REQUESTS = CLIENTS * OF_CLIENT;
const TRACKS = 3;

/** What one round has measured. */
interface Round {
  /** The memory that the waiting requests occupy, with their connections. */
  megabytes: number;
  /** From the commit of a change until the last response, in milliseconds. */
  wokenMs: number;
  /** From SIGTERM until the last response and until the end of the process, in milliseconds. */
  answeredMs: number;
  endedMs: number;
  /** The CPU time of the service from SIGTERM to the last response, in milliseconds. */
  cpuMs: number;
}

/** Measures 1,000 requests that wait for changes: their memory, and how long they take to end. */
export async function measureWaiting(options: { folder: string; rounds: number }): Promise<Row[]> {
  const data = join(options.folder, 'waiting');
  const store = await openSqliteStore({ path: join(data, DATABASE_FILE), clock: systemClock });
  await importAll(store, deliveries(0, TRACKS));
  const clients = await clientsOf(store);
  const rounds: Round[] = [];
  for (let round = 0; round < options.rounds; round++) {
    rounds.push(await measureRound(data, store, clients));
  }
  await store.close();
  const figure = (of: keyof Round, unit: string) =>
    shownSpread(spread(rounds.map((round) => round[of])), unit);
  const what = `${REQUESTS.toLocaleString('en')} requests that wait for changes`;
  return [
    { what: `${what}: memory`, figure: figure('megabytes', ' MB'), goal: 'under 50 MB' },
    {
      what: `${what}: from a commit to the last response`,
      figure: figure('wokenMs', ' ms'),
      goal: 'under 1,000 ms',
    },
    {
      what: `${what}: from SIGTERM to the last response`,
      figure: `${figure('answeredMs', ' ms')}, ${figure('cpuMs', ' ms')} of CPU; the process ends after ${figure('endedMs', ' ms')}`,
      goal: 'under 1,000 ms',
    },
  ];
}

async function clientsOf(store: Store): Promise<BenchClient[]> {
  const deps = { store, clock: systemClock, by: 'test:bench' as const };
  const terms = { scopes: ['changes'], features: ['changes'] };
  const clients: BenchClient[] = [];
  while (clients.length < CLIENTS) {
    clients.push(await createClient(deps, { name: `Mirror ${clients.length}`, ...terms }));
  }
  return clients;
}

async function measureRound(
  data: string,
  store: Store,
  clients: readonly BenchClient[],
): Promise<Round> {
  const server = await serve({ STAVE_DATA: data, STAVE_METRICS_PORT: `${METRICS_PORT}` }, PORT);
  const tokens: string[] = [];
  for (const client of clients) tokens.push(await tokenFor(PORT, client));
  const before = memoryMegabytes(server.pid, 'VmRSS');
  const readers = tokens.flatMap((token) =>
    Array.from({ length: OF_CLIENT }, () => new Reader(token)),
  );
  const first = await begin(readers, await endOf(tokens[0]!));
  const megabytes = memoryMegabytes(server.pid, 'VmRSS') - before;
  const committedMs = await change(store);
  const wokenMs = (await last(first)) - committedMs;
  const second = await begin(readers, await endOf(tokens[0]!));
  const cpu = cpuSeconds(server.pid);
  const stoppedMs = performance.now();
  const ended = server.stop();
  const answeredMs = (await last(second)) - stoppedMs;
  const cpuMs = 1_000 * (cpuSeconds(server.pid) - cpu);
  await ended;
  const endedMs = performance.now() - stoppedMs;
  for (const reader of readers) reader.close();
  return { megabytes, wokenMs, answeredMs, cpuMs, endedMs };
}

/** Returns the cursor at the end of the log. */
async function endOf(authorization: string): Promise<string> {
  const url = `http://127.0.0.1:${PORT}/v1/tracks/changes?since=1970-01-01T00:00:00Z&limit=500`;
  const response = await fetch(url, { headers: { authorization } });
  const { data } = (await response.json()) as { data: { nextCursor: string; hasMore: boolean } };
  if (data.hasMore) throw new Error('the log is longer than a page');
  return data.nextCursor;
}

/** Begins a request of each reader. Resolves when all of them wait. */
async function begin(readers: readonly Reader[], cursor: string): Promise<Promise<number>[]> {
  const responses: Promise<number>[] = [];
  for (const reader of readers) {
    responses.push(reader.wait(cursor));
    // A node refuses a burst of a thousand requests, and the metrics are rendered once a second.
    if (responses.length % BURST === 0) await waiting(responses.length);
  }
  return responses;
}

/** Resolves when this number of requests wait. */
async function waiting(count: number): Promise<void> {
  for (;;) {
    const metrics = await (await fetch(`http://127.0.0.1:${METRICS_PORT}/metrics`)).text();
    if (metrics.includes(`\nstave_changes_waiting ${count}\n`)) return;
    await sleep(2);
  }
}

/** Changes a track. Returns the time of the commit. */
async function change(store: Store): Promise<number> {
  const [track] = deliveries(0, 1);
  const { state } = (await store.catalog.trackRecord(track!.id))!;
  await setTrackState(store, track!.id, state === 'live' ? 'taken_down' : 'live', 'test:bench');
  return performance.now();
}

async function last(times: readonly Promise<number>[]): Promise<number> {
  return Math.max(...(await Promise.all(times)));
}

/** A connection that waits for changes. It parses little, because it shares the machine with the service. */
class Reader {
  readonly #socket: Socket;
  readonly #authorization: string;

  constructor(authorization: string) {
    this.#authorization = authorization;
    this.#socket = connect(PORT, '127.0.0.1');
    this.#socket.setEncoding('latin1').on('error', () => {});
  }

  /** Sends a request that waits. Resolves with the time at which the response is complete. */
  wait(cursor: string): Promise<number> {
    const path = `/v1/tracks/changes?cursor=${cursor}&tracks=false&wait=30`;
    const lines = [`GET ${path} HTTP/1.1`, 'Host: localhost'];
    this.#socket.write(
      `${[...lines, `Authorization: ${this.#authorization}`].join('\r\n')}\r\n\r\n`,
    );
    return new Promise((resolve, reject) => {
      let response = '';
      const onData = (chunk: string) => {
        response += chunk;
        const [head, body] = response.split('\r\n\r\n');
        if (body === undefined) return;
        const length = Number(/^content-length: (\d+)/im.exec(head!)?.[1]);
        if (body.length < length) return;
        this.#socket.off('data', onData);
        if (head!.startsWith('HTTP/1.1 200 ')) resolve(performance.now());
        else reject(new Error(response));
      };
      this.#socket.on('data', onData);
    });
  }

  close(): void {
    this.#socket.destroy();
  }
}
