import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ALL_SCOPES, type Feature } from '../../src/common/caller.ts';
import { TEXT_FIELDS, TRACK_SORTS } from '../../src/engines/search/catalog-index.ts';
import { ClientRegistry } from '../../src/features/access/registry.ts';
import { LiveCatalog } from '../../src/features/catalog/live/live-catalog.ts';
import { LiveLanguages } from '../../src/features/catalog/live/live-languages.ts';
import type { TrackDelivery } from '../../src/features/catalog/track.ts';
import { savedTrackFinder } from '../../src/features/saved-searches/routes/saved-search-tracks.ts';
import { delivery } from '../harness/catalog.ts';
import { indexSource } from '../harness/index-source.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { setTrackState } from '../harness/track-state.ts';

/** The most tracks of the catalog. They are created in the order of their numbers. */
const TRACKS = 300;
const PAGE = 100;

let server: TestServer;
let asker: Asker;
let askers: Asker[];
let nodes: { catalog: LiveCatalog; registry: ClientRegistry };

/** A client, with its token. */
interface Asker {
  clientId: string;
  token: string;
}

beforeAll(async () => {
  server = await startTestServer({ tracks: [] });
  await create([translated(0)]);
  const askerWith = async (features: readonly Feature[]): Promise<Asker> => {
    const client = await server.createClient({ scopes: ALL_SCOPES, features });
    return { clientId: client.clientId, token: await client.token() };
  };
  askers = [
    await askerWith(['saved-searches']),
    await askerWith(['saved-searches', 'localization']),
  ];
  const { store } = server.operator;
  nodes = {
    catalog: new LiveCatalog({
      store: store.catalog,
      source: indexSource(store),
      languages: new LiveLanguages({ store: store.languages, original: 'en' }),
    }),
    registry: new ClientRegistry(store),
  };
  await nodes.catalog.load();
  await nodes.registry.load();
});
afterAll(() => server?.close());

const sometimes = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.option(arbitrary, { nil: undefined, freq: 2 });

const search = fc
  .record({
    query: sometimes(
      fc.constantFrom('ocean', 'night', 'n', 'nigth', 'nacht', 'über', 'the sea', ''),
    ),
    in: sometimes(fc.subarray([...TEXT_FIELDS])),
    type: sometimes(fc.constantFrom('music', 'sfx')),
    hasVocals: sometimes(fc.boolean()),
    filterSlugs: sometimes(
      fc.subarray(['calm', 'happy', 'rock', 'no-such-filter'], { maxLength: 1 }),
    ),
    anyFilterSlugs: sometimes(fc.subarray(['ambient', 'advertising', 'no-such-filter'])),
    notFilterSlugs: sometimes(fc.subarray(['drum-bass', 'unheard-of'])),
    bpmMin: sometimes(fc.integer({ min: 70, max: 130 })),
    durationMax: sometimes(fc.integer({ min: 0, max: 300 })),
    sort: sometimes(fc.constantFrom(...TRACK_SORTS)),
  })
  .map((members) => JSON.parse(JSON.stringify(members)) as Record<string, unknown>);

type Requested = { page: number; pageSize: number; facets: boolean };

const page: fc.Arbitrary<Requested> = fc.record({
  page: fc.integer({ min: 1, max: 3 }),
  pageSize: fc.constantFrom(1, 7, 100),
  facets: fc.boolean(),
});

/**
 * A step: more tracks, or a takedown, or the removal and a second delivery of all tracks, or a mark on one of the searches, up
 * to one of the last tracks.
 */
type Step =
  | { kind: 'deliver'; count: number }
  | { kind: 'toggle'; track: number }
  | { kind: 'redeliver' }
  | { kind: 'see'; search: number; back: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('deliver' as const),
      count: fc.integer({ min: 1, max: 5 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('toggle' as const), track: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('redeliver' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('see' as const), search: fc.nat(), back: fc.nat(6) }),
  },
);

const call = (operation: string, options: Parameters<TestServer['call']>[1] = {}) =>
  server.call(operation, { token: asker.token, ...options });

/** A delivery, of which every third has texts in another language. */
const translated = (number: number, change: Partial<TrackDelivery> = {}) =>
  delivery(number, {
    ...(number % 3 === 1 && {
      translations: [{ language: 'de', name: `Nacht ${number}`, tags: ['Ozean', 'night'] }],
    }),
    ...change,
  });

/** The body without what differs between two responses for the same tracks. */
const withoutUrls = (body: Buffer) =>
  body.toString().replace(/"streamUrl":"[^"]*","streamUrlExpiresAt":"[^"]*"/g, '');

/** The change that made each creation of a track, in order. */
const creations: number[] = [];
/** Which creation each track is of. */
const numbers = new Map<string, number>();
const down = new Set<string>();

async function deliver(count: number): Promise<void> {
  const from = numbers.size;
  if (from + count > TRACKS) return;
  await create(Array.from({ length: count }, (_, i) => translated(from + i)));
}

/** Removes all tracks and delivers them again, as new tracks with the ids of the former ones. */
async function redeliver(): Promise<void> {
  await server.operator.store.catalog.removeSource(delivery(0).source, 'test:harness');
  down.clear();
  server.clock.advance(1);
  await create(Array.from({ length: numbers.size }, (_, i) => translated(i)));
}

async function create(tracks: readonly TrackDelivery[]): Promise<void> {
  const { changes } = server.operator.store;
  const head = await changes.head();
  await server.deliver(tracks);
  const created = (await changes.since(head, ['track'], TRACKS)).filter(
    ({ kind }) => kind === 'created',
  );
  expect(created.map(({ entityId }) => entityId)).toEqual(tracks.map(({ id }) => id));
  for (const { seq, entityId } of created) numbers.set(entityId, creations.push(seq) - 1);
}

/** The ids of all tracks that a search finds, in its order. */
async function foundBy(search: object): Promise<string[]> {
  const ids: string[] = [];
  for (let page = 1; ; page++) {
    const { data } = await call('searchTracks', { body: { ...search, page, pageSize: PAGE } });
    ids.push(...data.items.map(({ id }: { id: string }) => id));
    if (page >= data.totalPages) return ids;
  }
}

/** Takes down or restores any track but the first. */
async function toggle(number: number): Promise<void> {
  if (numbers.size === 1) return;
  const { id } = delivery(1 + (number % (numbers.size - 1)));
  const state = down.has(id) ? 'live' : 'taken_down';
  await setTrackState(server.operator.store, id, state, 'test:harness');
  if (state === 'live') down.delete(id);
  else down.add(id);
}

let settles = 0;

/**
 * Waits until the server shows the catalog of the model. The last change is one that can be seen, because a track that
 * was taken down and restored looks as before while the server has applied neither.
 */
async function settled(): Promise<void> {
  const tag = `settled ${settles++}`;
  await server.deliver([translated(0, { tags: [tag] })]);
  await server.until(async () => {
    const { data } = await call('listTracks', { query: { search: tag, in: 'tags' } });
    return data.items.some(({ tags }: { tags: string[] }) => tags.includes(tag));
  });
  const expected = [...numbers.keys()].filter((id) => !down.has(id)).sort();
  expect((await foundBy({})).sort()).toEqual(expected);
}

/** The ids of the tracks that messages of webhooks may report. */
async function reportedBy(search: object): Promise<string[]> {
  const { catalog, registry } = nodes;
  const { store } = server.operator;
  await catalog.apply(await store.changes.since(catalog.position, ['track'], 100_000));
  const finder = savedTrackFinder({
    catalog,
    registry,
    regionGroups: () => [],
    groupsVersion: () => 0,
  });
  const range = { rowIdAbove: 0, rowIdTo: Number.MAX_SAFE_INTEGER, limit: TRACKS };
  const query = JSON.stringify(search);
  const { rowIds } = await finder.find({ clientId: asker.clientId, query }, range);
  const documents = await catalog.documents(rowIds);
  return documents.map((document) => document!.id);
}

/** Searches that find translations, by a client with localization. */
const TRANSLATED: [Record<string, unknown>[], Step[], Requested, number] = [
  [{ query: 'nacht' }, { query: 'ozean', in: ['tags'] }],
  [{ kind: 'deliver', count: 5 }],
  { page: 1, pageSize: 7, facets: true },
  1,
];

let names = 0;

it('the tracks of a saved search are those of the search, and the new ones those created since', {
  timeout: 300_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(search, { minLength: 1, maxLength: 4 }),
      fc.array(step, { maxLength: 8 }),
      page,
      fc.nat(1),
      async (searches, steps, requested, number) => {
        asker = askers[number]!;
        const saved: { id: string; search: object; seen: number }[] = [];
        for (const search of searches) {
          const body = { name: `Search ${names++}`, search };
          const { data } = await call('createSavedSearch', { body });
          saved.push({ id: data.id, search, seen: creations.length - 1 });
        }
        for (const one of steps) {
          if (one.kind === 'deliver') await deliver(one.count);
          else if (one.kind === 'toggle') await toggle(one.track);
          else if (one.kind === 'redeliver') await redeliver();
          else {
            const target = saved[one.search % saved.length]!;
            const last = Math.max(0, creations.length - 1 - one.back);
            const body = one.back === 0 ? {} : { seq: creations[last]! };
            await call('markSavedSearchSeen', { params: { id: target.id }, body });
            target.seen = Math.max(target.seen, last);
          }
        }
        await settled();
        for (const { id, search, seen } of saved) {
          const params = { id };
          const found = await call('searchTracks', { body: { ...search, ...requested } });
          const listed = await call('listSavedSearchTracks', { params, query: requested });
          expect(withoutUrls(listed.body)).toBe(withoutUrls(found.body));

          const whole = await foundBy(search);
          expect((await reportedBy(search)).sort()).toEqual([...whole].sort());
          const fresh = whole.filter((track) => numbers.get(track)! > seen);
          const query = { ...requested, new: true };
          const { data } = await call('listSavedSearchTracks', { params, query });
          const first = (requested.page - 1) * requested.pageSize;
          expect(data.items.map((track: { id: string }) => track.id)).toEqual(
            fresh.slice(first, first + requested.pageSize),
          );
          expect(data.totalRecords).toBe(fresh.length);
          const shown = await call('showSavedSearch', { params });
          expect(shown.data).toMatchObject({
            totalRecords: whole.length,
            newCount: fresh.length,
          });
          await call('deleteSavedSearch', { params, headers: { 'If-Match': '*' } });
        }
      },
    ),
    { numRuns: 25, examples: [TRANSLATED] },
  );
});
