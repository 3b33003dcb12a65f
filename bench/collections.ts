import { MAX_COLLECTIONS } from '../src/features/collections/collection.ts';
import { onBothDatabases, type PartOptions } from './both-databases.ts';
import { quantiles, shown, shownSpread, spread } from './figures.ts';
import { type BenchPartner, type Call, milliseconds, newPartner } from './partner.ts';
import { load, serve, stave } from './processes.ts';
import type { Row } from './row.ts';

const PORT = 18_104;
const CONNECTIONS = 32;
const SECONDS = 3;
const PAGE = 100;
/** The tracks of one addition, of a full collection, and of the lists whose pages are compared. */
const ADDED = 500;
const FULL = 10_000;
const LISTED = 1_000;

/**
 * Compares pages of a collection with pages of a playlist of the same tracks, and times additions and the takedown of
 * a track that a thousand collections contain, on both databases.
 */
export function measureCollections(options: PartOptions): Promise<Row[]> {
  return onBothDatabases(options, 'collections', measureOn);
}

async function measureOn(
  database: string,
  settings: Record<string, string>,
  rounds: number,
): Promise<Row[]> {
  const server = await serve(settings, PORT);
  try {
    const partners = [await newPartner(PORT, settings), await newPartner(PORT, settings)];
    const tracks = await someTracks(partners[0]!.call);
    return [
      await measurePages(database, settings, partners[0]!, tracks.slice(0, LISTED), rounds),
      await measureAdditions(database, partners[0]!.call, tracks, rounds),
      await measureTakedown(database, settings, partners, tracks[0]!, rounds),
    ];
  } finally {
    await server.stop();
  }
}

async function measurePages(
  database: string,
  settings: Record<string, string>,
  { clientId, call, authorization }: BenchPartner,
  tracks: readonly string[],
  rounds: number,
): Promise<Row> {
  const { id } = await create(call, tracks.slice(0, ADDED));
  await call('POST', `/v1/collections/${id}/items`, itemsOf(tracks.slice(ADDED)));
  const named = ['--name', 'Bench', '--tracks', tracks.join()];
  const { result } = await stave(['playlists', 'create', ...named], settings);
  const playlist = (result as { id: string }).id;
  await stave(['playlists', 'grant', playlist, '--client', clientId], settings);
  const pages = Array.from({ length: LISTED / PAGE }, (_, i) => `pageSize=${PAGE}&page=${i + 1}`);
  const requested = {
    collection: pages.map((page) => `/v1/collections/${id}/tracks?${page}`),
    playlist: pages.map((page) => `/v1/playlists/${playlist}/tracks?${page}`),
  };
  const perSecond = { collection: [] as number[], playlist: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    for (const kind of ['playlist', 'collection'] as const) {
      const job = { port: PORT, paths: requested[kind], authorizations: [authorization] };
      const result = await load({ ...job, connections: CONNECTIONS, seconds: SECONDS });
      perSecond[kind].push(result.requestsPerSecond);
    }
  }
  const ratio = spread(perSecond.collection.map((each, i) => each / perSecond.playlist[i]!));
  const median = (each: number[]) => shown(spread(each).median);
  return {
    what: `page of ${PAGE} of a collection of ${LISTED.toLocaleString('en')}, ${database}: throughput compared with a playlist of the same tracks`,
    figure: `${shownSpread(ratio)}: ${median(perSecond.collection)} and ${median(perSecond.playlist)} requests/s`,
    goal: 'at least 0.9',
  };
}

async function measureAdditions(
  database: string,
  call: Call,
  tracks: readonly string[],
  rounds: number,
): Promise<Row> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const { id } = await create(call, []);
    for (let from = 0; from < FULL; from += ADDED) {
      const body = { ...itemsOf(tracks.slice(from, from + ADDED)), position: 1 };
      times.push(await milliseconds(() => call('POST', `/v1/collections/${id}/items`, body)));
    }
  }
  const { p50, p99, max } = quantiles(times);
  return {
    what: `addition of ${ADDED} tracks at the front of a collection that grows to ${FULL.toLocaleString('en')}, ${database}, one after another`,
    figure: `p50 ${shown(p50)} ms, p99 ${shown(p99)} ms, longest ${shown(max)} ms of ${times.length}`,
    goal: 'p99 below 50 ms',
  };
}

async function measureTakedown(
  database: string,
  settings: Record<string, string>,
  partners: readonly BenchPartner[],
  track: string,
  rounds: number,
): Promise<Row> {
  let collections = 0;
  for (const { call } of partners) {
    const { totalRecords } = await call<{ totalRecords: number }>('GET', '/v1/collections');
    for (let made = totalRecords; made < MAX_COLLECTIONS; made++, collections++) {
      await create(call, [track]);
    }
  }
  const times = { takedown: [] as number[], restore: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    for (const command of ['takedown', 'restore'] as const) {
      times[command].push((await stave(['tracks', command, track], settings)).seconds * 1000);
    }
  }
  return {
    what: `command that takes down a track of ${collections.toLocaleString('en')} collections, ${database}, with the start of its process`,
    figure: `${shownSpread(spread(times.takedown), ' ms')}, its restoration ${shownSpread(spread(times.restore), ' ms')}`,
    goal: 'below 100 ms of lock',
  };
}

async function someTracks(call: Call): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < FULL) {
    const path = `/v1/tracks?pageSize=100&page=${ids.length / 100 + 1}`;
    const { items } = await call<{ items: { id: string }[] }>('GET', path);
    ids.push(...items.map(({ id }) => id));
  }
  return ids;
}

function create(call: Call, tracks: readonly string[]): Promise<{ id: string }> {
  return call('POST', '/v1/collections', { name: 'Bench', tracks });
}

function itemsOf(tracks: readonly string[]) {
  return { items: tracks.map((track) => ({ track, note: 'for the opening' })) };
}
