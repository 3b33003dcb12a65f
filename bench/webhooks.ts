import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../src/common/clock.ts';
import { newId, newSortableId } from '../src/common/ids.ts';
import { ensureLogEpoch } from '../src/engines/change-log/positions.ts';
import { createClient } from '../src/features/access/clients.ts';
import type { Store } from '../src/features/store.ts';
import { FanOut } from '../src/features/webhooks/fan-out.ts';
import { SavedSearchMatches } from '../src/features/webhooks/saved-search-matches.ts';
import { deliveries, delivery, importAll } from '../test/harness/deliveries.ts';
import { createDatabase } from '../test/harness/services.ts';
import { openAt, type Place } from '../test/scenarios/feed/open-at.ts';
import { type BenchClient, tokenFor } from './client.ts';
import { shown } from './figures.ts';
import type { ReceiverCounts, ReceiverJob } from './message-receiver.ts';
import { load, serve, serveProgram } from './processes.ts';
import type { Row } from './row.ts';

const PORT = 18_190;
const BY = 'test:bench';
const RECEIVER = new URL('message-receiver.ts', import.meta.url);
const TRACKS = 2_000;
const ENDPOINTS = 100;
/** The most endpoints of a client in one mode. */
const OF_CLIENT = 10;
/** More changes that are not delivered would be put into one message. */
const OF_ENDPOINT = 900;
const FAULTS = 0.2;
/** How often an import changes all tracks. */
const IMPORTS = 3;
/** How long changes are made, and reads are measured. */
const SECONDS = 15;

/** Options of the part. */
interface Options {
  folder: string;
  /** The number of messages whose delivery is measured. */
  messages: number;
  databases: readonly ('sqlite' | 'postgres')[];
}

/** What is measured on: the store beside the service, and the settings of the service. */
interface Bench {
  name: string;
  store: Store;
  settings: Record<string, string>;
  reader: BenchClient;
}

/** Measures how fast changes become messages, how fast these are sent, and what that costs readers. */
export async function measureWebhooks(options: Options): Promise<Row[]> {
  const rows: Row[] = [];
  for (const database of options.databases) {
    const data = join(options.folder, `webhooks-${database}`);
    if (database === 'sqlite') {
      rows.push(...(await measureOn('SQLite', { data, databaseUrl: undefined }, options.messages)));
      continue;
    }
    await using postgres = await createDatabase();
    const place = { data, databaseUrl: postgres.url };
    rows.push(...(await measureOn('PostgreSQL', place, options.messages)));
  }
  return rows;
}

async function measureOn(name: string, place: Place, messages: number): Promise<Row[]> {
  const store = await openAt(place, systemClock);
  await importAll(store, deliveries(0, TRACKS));
  await ensureLogEpoch(store.settings);
  const deps = { store, clock: systemClock, by: BY } as const;
  const terms = { scopes: ['tracks'], features: [], rateLimit: 1_000_000 };
  const reader = await createClient(deps, { name: 'Reader', ...terms });
  const settings = {
    STAVE_DATA: place.data,
    STAVE_WEBHOOK_TARGETS: 'any',
    ...(place.databaseUrl !== undefined && { STAVE_DATABASE_URL: place.databaseUrl }),
  };
  const bench = { name, store, settings, reader };
  try {
    const sending = await measureSending(bench, messages);
    return [sending, ...(await measureBeside(bench)), await measureImport(bench)];
  } finally {
    await store.close();
  }
}

/** Measures how fast messages are sent that were made before. */
async function measureSending(bench: Bench, wanted: number): Promise<Row> {
  const { store, settings, name } = bench;
  const receiver = await startReceiver({ faults: FAULTS });
  const endpoints = Math.ceil(Math.max(ENDPOINTS, wanted / OF_ENDPOINT) / OF_CLIENT) * OF_CLIENT;
  const registered = await register(store, receiver.url, endpoints);
  const fanOut = fanOutOf(store);
  await fanOut.run();
  for (let n = 0; n * endpoints < wanted; n++) await registered.change(n);
  const startedAt = performance.now();
  await fanOut.run();
  const madeMs = performance.now() - startedAt;
  const messages = await store.webhookSending.pending();
  const server = await serve(settings, PORT);
  // From a twentieth to nineteen twentieths, because at the end only repeated messages are left.
  const times = await passed(receiver.counts, [0.05 * messages, 0.95 * messages]);
  while ((await store.webhookSending.pending()) > 0) await sleep(250);
  const { requests, accepted } = await receiver.counts();
  await server.stop();
  await receiver.stop();
  await registered.remove();
  const rate = (0.9 * messages) / ((times[1]! - times[0]!) / 1_000);
  return {
    what: `${name}: ${messages.toLocaleString('en')} messages to ${endpoints} endpoints, of which 20 % fail`,
    figure: `${shown(rate)} delivered/s; ${accepted.toLocaleString('en')} delivered by ${requests.toLocaleString('en')} requests; made in ${shown(madeMs / 1_000)} s`,
    goal: '500/s',
  };
}

/** Measures how far the fan-out lags behind, and how long reads take meanwhile. */
async function measureBeside(bench: Bench): Promise<Row[]> {
  const { store, settings, name, reader } = bench;
  const receiver = await startReceiver({ faults: 0 });
  const registered = await register(store, receiver.url, ENDPOINTS);
  const server = await serve(settings, PORT);
  const job = {
    port: PORT,
    paths: Array.from({ length: 100 }, (_, n) => `/v1/tracks?page=${n + 1}`),
    authorizations: [await tokenFor(PORT, reader)],
    connections: 8,
    perSecond: 200,
    seconds: SECONDS,
  };
  await sleep(14_000);
  await load({ ...job, seconds: 3 });
  const alone = await load(job);
  const before = (await receiver.counts()).accepted;
  const [beside] = await Promise.all([load(job), each(200, SECONDS, (n) => registered.change(n))]);
  const sent = ((await receiver.counts()).accepted - before) / SECONDS;
  const lagMs = await measureLag(store);
  await server.stop();
  await receiver.stop();
  await registered.remove();
  return [
    {
      what: `${name}: p99 of 200 pages/s beside ${shown(sent)} deliveries/s`,
      figure: `${shown(beside.p99)} ms, alone ${shown(alone.p99)} ms: ${shown(beside.p99 / alone.p99)} times`,
      goal: 'under 1.5 times',
    },
    {
      what: `${name}: most lag of the fan-out to ${ENDPOINTS} endpoints at ${shown(lagMs.perSecond)} changes/s`,
      figure: `${shown(lagMs.most / 1_000)} s`,
      goal: 'under 2 s',
    },
  ];
}

/** Measures what webhooks cost an import: the same changes of tracks, without endpoints and with them. */
async function measureImport({ store, settings, name }: Bench): Promise<Row> {
  const receiver = await startReceiver({ faults: 0 });
  const server = await serve(settings, PORT);
  const perSecond = async (label: string) => {
    const startedAt = performance.now();
    for (let n = 0; n < IMPORTS; n++) {
      const some = Array.from({ length: TRACKS }, (_, i) =>
        delivery(i, { name: `Track ${i} of ${label} ${n}` }),
      );
      await importAll(store, some, `bench ${label} ${n}`);
    }
    return (IMPORTS * TRACKS) / ((performance.now() - startedAt) / 1_000);
  };
  // The first one also warms up.
  await perSecond('warm-up');
  const without = await perSecond('without');
  const registered = await register(store, receiver.url, ENDPOINTS);
  const beside = await perSecond('with');
  await server.stop();
  await receiver.stop();
  await registered.remove();
  return {
    what: `${name}: import of ${(IMPORTS * TRACKS).toLocaleString('en')} changes with ${ENDPOINTS} endpoints that get them`,
    figure: `${shown(beside)} changes/s, without endpoints ${shown(without)}: ${shown(beside / without)} times`,
    goal: 'none',
  };
}

/** Changes a thousand tracks a second, and observes how old the first change is that has not become messages. */
async function measureLag(store: Store): Promise<{ most: number; perSecond: number }> {
  const commits: { seq: number; at: number }[] = [];
  let [most, changes, isEnded] = [0, 0, false];
  const observing = (async () => {
    while (!isEnded) {
      const { seq } = (await store.webhookFanOut.position())!;
      while (commits[0] !== undefined && commits[0].seq <= seq) commits.shift();
      if (commits[0] !== undefined) most = Math.max(most, performance.now() - commits[0].at);
      await sleep(20);
    }
  })();
  const startedAt = performance.now();
  await each(100, SECONDS, async (n) => {
    const some = Array.from({ length: 100 }, (_, i) => {
      const number = (n * 100 + i) % TRACKS;
      return delivery(number, { name: `Track ${number} of ${n}` });
    });
    await importAll(store, some, `bench ${n}`);
    changes += some.length;
    commits.push({ seq: await store.changes.head(), at: performance.now() });
  });
  const perSecond = changes / ((performance.now() - startedAt) / 1_000);
  while (commits.length > 0) await sleep(20);
  isEnded = true;
  await observing;
  return { most, perSecond };
}

/** Registers endpoints of clients that are all granted a playlist. */
async function register(store: Store, url: string, count: number) {
  const deps = { store, clock: systemClock, by: BY } as const;
  const now = systemClock.now();
  const playlistId = newId();
  const playlist = { id: playlistId, name: 'P', description: '', createdAt: now, updatedAt: now };
  await store.playlists.create(playlist, [], BY);
  const clientIds: string[] = [];
  for (let n = 0; n < count; n++) {
    if (n % OF_CLIENT === 0) {
      const terms = { scopes: ['webhooks'], features: ['webhooks', 'changes'] };
      const { clientId } = await createClient(deps, { name: `Client ${n}`, ...terms });
      clientIds.push(clientId);
      await store.playlists.grant(playlistId, clientId, BY);
    }
    const webhook = { url, description: '', referencedOnly: false, secret: Buffer.alloc(32, 1) };
    const eventTypes: ('playlist.updated' | 'track.updated')[] = [
      'playlist.updated',
      'track.updated',
    ];
    const context = { actor: BY, clientId: clientIds.at(-1)!, mode: 'test' } as const;
    await store.webhooks.create({ id: newSortableId(now), eventTypes, ...webhook }, context);
  }
  return {
    /** Makes a change of which each endpoint is told. */
    change: (n: number) => store.playlists.update(playlistId, { name: `P ${n}` }, BY),
    async remove() {
      for (const clientId of clientIds) await store.clients.delete(clientId, BY);
    },
  };
}

function fanOutOf(store: Store): FanOut {
  const finder = {
    state: async () => ({ position: 0, version: 0 }),
    find: async () => ({ total: 0, rowIds: [] }),
  };
  const matches = new SavedSearchMatches({
    store: store.webhookFanOut,
    finder,
    clock: systemClock,
  });
  return new FanOut({
    log: store.changes,
    store: store.webhookFanOut,
    matches,
    clock: systemClock,
  });
}

async function startReceiver(job: ReceiverJob) {
  const { port, stop } = await serveProgram(RECEIVER, job);
  const url = `http://127.0.0.1:${port}/`;
  const counts = async () => (await (await fetch(url)).json()) as ReceiverCounts;
  return { url, counts, stop };
}

/** Returns the times at which these numbers of messages were accepted. */
async function passed(
  counts: () => Promise<ReceiverCounts>,
  numbers: readonly number[],
): Promise<number[]> {
  const times: number[] = [];
  for (const number of numbers) {
    while ((await counts()).accepted < number) await sleep(50);
    times.push(performance.now());
  }
  return times;
}

/** Does work at equal intervals. */
async function each(
  intervalMs: number,
  seconds: number,
  work: (n: number) => Promise<unknown>,
): Promise<void> {
  const startedAt = performance.now();
  for (let n = 0; n * intervalMs < seconds * 1_000; n++) {
    await work(n);
    await sleep(Math.max(0, startedAt + (n + 1) * intervalMs - performance.now()));
  }
}
