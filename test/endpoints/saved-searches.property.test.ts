import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TEXT_FIELDS, TRACK_SORTS } from '../../src/catalog/catalog-index.ts';
import { delivery } from '../harness/catalog.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

/** The tracks of the catalog, by number; each was created by one of the deliveries. */
const TRACKS = 80;

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await startTestServer({ tracks: [delivery(0)] });
  token = await (await server.createClient({ features: ['saved-searches'] })).token();
});
afterAll(() => server?.close());

const sometimes = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.option(arbitrary, { nil: undefined, freq: 2 });

const search = fc
  .record({
    query: sometimes(fc.constantFrom('ocean', 'night', 'n', 'nigth', 'über', 'the sea', '')),
    in: sometimes(fc.subarray([...TEXT_FIELDS])),
    type: sometimes(fc.constantFrom('music', 'sfx')),
    hasVocals: sometimes(fc.boolean()),
    filterSlugs: sometimes(
      fc.subarray(['calm', 'happy', 'rock', 'no-such-filter'], { maxLength: 1 }),
    ),
    bpmMin: sometimes(fc.integer({ min: 70, max: 130 })),
    durationMax: sometimes(fc.integer({ min: 0, max: 300 })),
    sort: sometimes(fc.constantFrom(...TRACK_SORTS)),
  })
  .map((members) => JSON.parse(JSON.stringify(members)) as Record<string, unknown>);

const page = fc.record({
  page: fc.integer({ min: 1, max: 3 }),
  pageSize: fc.constantFrom(1, 7, 100),
  facets: fc.boolean(),
});

/** A step: more tracks, or a takedown, or a mark on one of the searches. */
const step = fc.oneof(
  fc.record({ kind: fc.constant('deliver' as const), count: fc.integer({ min: 1, max: 6 }) }),
  fc.record({ kind: fc.constant('toggle' as const), track: fc.nat(TRACKS) }),
  fc.record({ kind: fc.constant('see' as const), search: fc.nat(9), back: fc.nat(3) }),
);

const call = (operation: string, options: Parameters<TestServer['call']>[1] = {}) =>
  server.call(operation, { token, ...options });

/** The body without what differs between two responses for the same tracks. */
const withoutUrls = (body: Buffer) =>
  body.toString().replace(/"streamUrl":"[^"]*","streamUrlExpiresAt":"[^"]*"/g, '');

/** When each track was created: the number of the delivery. */
const createdIn = new Map<string, number>([[delivery(0).id, 0]]);
/** The `seq` of the last change of each delivery. */
const seqs: number[] = [0];
const down = new Set<string>();

async function deliver(count: number): Promise<void> {
  const from = createdIn.size;
  if (from + count > TRACKS) return;
  const tracks = Array.from({ length: count }, (_, i) => delivery(from + i));
  await server.deliver(tracks);
  for (const { id } of tracks) createdIn.set(id, seqs.length);
  seqs.push(await server.operator.store.changes.head());
}

async function toggle(number: number): Promise<void> {
  const { id } = delivery(number % createdIn.size);
  const state = down.has(id) ? 'live' : 'taken_down';
  await server.operator.store.catalog.setState(id, state, 'test:harness');
  if (state === 'live') down.delete(id);
  else down.add(id);
}

/** Waits until the server shows the catalog of the model. */
const settled = () =>
  server.until(async () => {
    const expected = [...createdIn.keys()].filter((id) => !down.has(id)).sort();
    const { data } = await call('searchTracks', { body: { pageSize: 100 } });
    const shown = data.items.map(({ id }: { id: string }) => id).sort();
    return JSON.stringify(shown) === JSON.stringify(expected);
  });

let names = 0;

it('the tracks of a saved search are those of the search, and the new ones those created since', {
  timeout: 300_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(search, { minLength: 1, maxLength: 4 }),
      fc.array(step, { maxLength: 6 }),
      page,
      async (searches, steps, requested) => {
        const saved: { id: string; search: object; seen: number }[] = [];
        for (const search of searches) {
          const body = { name: `Search ${names++}`, search };
          const { data } = await call('createSavedSearch', { body });
          saved.push({ id: data.id, search, seen: seqs.length - 1 });
        }
        for (const one of steps) {
          if (one.kind === 'deliver') await deliver(one.count);
          else if (one.kind === 'toggle') await toggle(one.track);
          else {
            const target = saved[one.search % saved.length]!;
            const delivered = Math.max(0, seqs.length - 1 - one.back);
            const body = one.back === 0 ? {} : { seq: seqs[delivered]! };
            await call('markSavedSearchSeen', { params: { id: target.id }, body });
            target.seen = Math.max(target.seen, delivered);
          }
        }
        await settled();
        for (const { id, search, seen } of saved) {
          const params = { id };
          const found = await call('searchTracks', { body: { ...search, ...requested } });
          const listed = await call('listSavedSearchTracks', { params, query: requested });
          expect(withoutUrls(listed.body)).toBe(withoutUrls(found.body));

          const whole = await call('searchTracks', { body: { ...search, pageSize: 100 } });
          const fresh = whole.data.items
            .map((track: { id: string }) => track.id)
            .filter((track: string) => createdIn.get(track)! > seen);
          const query = { ...requested, new: true };
          const { data } = await call('listSavedSearchTracks', { params, query });
          const first = (requested.page - 1) * requested.pageSize;
          expect(data.items.map((track: { id: string }) => track.id)).toEqual(
            fresh.slice(first, first + requested.pageSize),
          );
          expect(data.totalRecords).toBe(fresh.length);
          const shown = await call('showSavedSearch', { params });
          expect(shown.data).toMatchObject({
            totalRecords: whole.data.totalRecords,
            newCount: fresh.length,
          });
          await call('deleteSavedSearch', { params, headers: { 'If-Match': '*' } });
        }
      },
    ),
    { numRuns: 25 },
  );
});
