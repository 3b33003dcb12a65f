import { MAX_SAVED_SEARCHES } from '../src/features/saved-searches/saved-search.ts';
import { onBothDatabases, type PartOptions } from './both-databases.ts';
import { quantiles, shown, shownSpread, spread } from './figures.ts';
import { type BenchPartner, milliseconds, newPartner } from './partner.ts';
import { load, serve } from './processes.ts';
import type { Row } from './row.ts';

const PORT = 18_105;
const CONNECTIONS = 32;
const SECONDS = 3;
/** The lists that are timed in each round. */
const LISTS = 50;

/** The saved searches: words and filters of the real catalogs. */
const TEXTS = ['night', 'rain', 'love', 'piano', 'the', 'summer', 'dark', 'wind', 'blue', 'dance'];

/**
 * Compares the tracks of saved searches with the same searches, and times the list of a hundred saved searches, on both
 * databases.
 */
export function measureSavedSearches(options: PartOptions): Promise<Row[]> {
  return onBothDatabases(options, 'saved-searches', measureOn);
}

async function measureOn(
  database: string,
  settings: Record<string, string>,
  rounds: number,
): Promise<Row[]> {
  const server = await serve(settings, PORT);
  try {
    const partner = await newPartner(PORT, settings);
    const { items } = await partner.call<{ items: { slug: string }[] }>('GET', '/v1/filters');
    const saved: { id: string; search: object }[] = [];
    for (let i = 0; i < MAX_SAVED_SEARCHES; i++) {
      const filterSlugs = i % 2 === 0 ? [] : [items[i % items.length]!.slug];
      const search = { query: TEXTS[i % TEXTS.length]!, filterSlugs };
      const body = { name: `Search ${i}`, search };
      const { id } = await partner.call<{ id: string }>('POST', '/v1/saved-searches', body);
      saved.push({ id, search });
    }
    return [
      await measureTracks(database, partner, saved, rounds),
      await measureLists(database, partner, rounds),
    ];
  } finally {
    await server.stop();
  }
}

async function measureTracks(
  database: string,
  { authorization }: BenchPartner,
  saved: readonly { id: string; search: object }[],
  rounds: number,
): Promise<Row> {
  const requested = {
    search: {
      paths: saved.map(() => '/v1/search'),
      bodies: saved.map(({ search }) => JSON.stringify(search)),
    },
    saved: { paths: saved.map(({ id }) => `/v1/saved-searches/${id}/tracks`) },
  };
  const perSecond = { search: [] as number[], saved: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    for (const kind of ['search', 'saved'] as const) {
      const job = { ...requested[kind], port: PORT, authorizations: [authorization] };
      const { requestsPerSecond, failures } = await load({
        ...job,
        connections: CONNECTIONS,
        seconds: SECONDS,
      });
      if (failures > 0) throw new Error(`${failures} requests failed`);
      perSecond[kind].push(requestsPerSecond);
    }
  }
  const ratio = spread(perSecond.saved.map((each, i) => each / perSecond.search[i]!));
  const median = (each: number[]) => shown(spread(each).median);
  return {
    what: `tracks of ${saved.length} saved searches in turn, ${database}: throughput compared with the same searches`,
    figure: `${shownSpread(ratio)}: ${median(perSecond.saved)} and ${median(perSecond.search)} requests/s`,
    goal: 'at least 0.9',
  };
}

async function measureLists(
  database: string,
  { call }: BenchPartner,
  rounds: number,
): Promise<Row> {
  const times: number[] = [];
  for (let i = 0; i < rounds * LISTS; i++) {
    times.push(await milliseconds(() => call('GET', '/v1/saved-searches?pageSize=100')));
  }
  const { p50, p99, max } = quantiles(times);
  return {
    what: `list of ${MAX_SAVED_SEARCHES} saved searches with their numbers, ${database}, one after another`,
    figure: `p50 ${shown(p50)} ms, p99 ${shown(p99)} ms, longest ${shown(max)} ms of ${times.length}`,
    goal: 'p99 below 50 ms with a million tracks',
  };
}
