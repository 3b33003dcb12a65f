import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Mode } from '../../src/common/caller.ts';
import { fold } from '../../src/common/text/search-form.ts';
import type { TrackDelivery } from '../../src/features/catalog/track.ts';
import { deliveries, delivery } from '../harness/catalog.ts';
import { startTestServer, type TestClient, type TestServer } from '../harness/test-server.ts';
import { setTrackState } from '../harness/track-state.ts';

const DAY_MS = 86_400_000;

/** Sixty-five similar tracks, and some with rare or unknown values. */
const TRACKS: readonly TrackDelivery[] = [
  ...deliveries(65),
  delivery(70, { bpm: '', durationSeconds: 0, songKey: [] }),
  delivery(71, { bpm: '99.875', songKey: ['C major', 'Ré mineur'], name: '???' }),
  delivery(72, { bpm: '0.5', songKey: ['a MINOR'], name: 'Zebra', durationSeconds: 10_000 }),
  delivery(73, { releasedAt: Date.UTC(1969, 11, 31, 23, 59, 59, 999), name: 'éclair' }),
  delivery(74, { releasedAt: Date.UTC(1970, 0, 1), name: 'Eclair 2' }),
  delivery(75, { releasedAt: Date.UTC(2030, 0, 1), filters: [], name: 'Apart' }),
];

let server: TestServer;
let client: TestClient;
let token: string;
beforeAll(async () => {
  server = await startTestServer({ tracks: TRACKS });
  client = await server.createClient();
  token = await client.token();
});
afterAll(() => server?.close());

type Query = Record<string, string | number | boolean | string[]>;
const list = async (query: Query) =>
  (await server.call('listTracks', { query: { pageSize: 100, ...query }, token })).data;
const idsOf = (page: { items: { id: string }[] }) => page.items.map((item) => item.id);

const newestFirst = (a: TrackDelivery, b: TrackDelivery) =>
  b.releasedAt! - a.releasedAt! || (a.id < b.id ? -1 : 1);
const inOrder = (
  compare: (a: TrackDelivery, b: TrackDelivery) => number,
  holds: (track: TrackDelivery) => boolean = () => true,
) =>
  TRACKS.filter(holds)
    .sort((a, b) => compare(a, b) || newestFirst(a, b))
    .map(({ id }) => id);
const rising = (value: (track: TrackDelivery) => number) => (a: TrackDelivery, b: TrackDelivery) =>
  (value(a) || Number.MAX_VALUE) - (value(b) || Number.MAX_VALUE);
/** A name by which to sort: without an English article, and with numbers of one length. */
const sortName = ({ name }: TrackDelivery) =>
  fold(name)
    .replace(/^(?:the|a|an) /, '')
    .replace(/[0-9]+/g, (digits) => digits.padStart(9, '0'));
const byName = (a: TrackDelivery, b: TrackDelivery) => {
  const [x, y] = [sortName(a), sortName(b)];
  return Number(x === '') - Number(y === '') || (x < y ? -1 : Number(x > y));
};
const isSlow = (track: TrackDelivery) => track.bpm !== '' && Number(track.bpm) <= 90;

describe('sort', () => {
  it.each([
    ['relevance', inOrder(newestFirst)],
    ['newest', inOrder(newestFirst)],
    ['oldest', inOrder(newestFirst).reverse()],
    ['name', inOrder(byName)],
    ['bpm', inOrder(rising(({ bpm }) => Number(bpm)))],
    ['duration', inOrder(rising(({ durationSeconds }) => durationSeconds))],
    ['popular', inOrder(newestFirst)],
  ])('%s orders all tracks over all pages', async (sort, ids) => {
    expect(idsOf(await list({ sort }))).toEqual(ids);
    const walked: string[] = [];
    for (let page = 1; page <= Math.ceil(ids.length / 9); page++) {
      walked.push(...idsOf(await list({ sort, page, pageSize: 9 })));
    }
    expect(walked).toEqual(ids);
  });

  it('orders the matches of a text and a range', async () => {
    const found = await list({ search: 'o', bpmMax: 90 });
    const expected = new Set(idsOf(found));
    expect(expected.size).toBeGreaterThan(2);
    for (const [sort, compare] of [
      ['newest', newestFirst],
      ['name', byName],
      ['duration', rising(({ durationSeconds }) => durationSeconds)],
    ] as const) {
      const page = await list({ search: 'o', bpmMax: 90, sort });
      expect(idsOf(page)).toEqual(
        inOrder(compare, (track) => isSlow(track) && expected.has(track.id)),
      );
      expect(page.totalRecords).toBe(found.totalRecords);
    }
  });

  it('orders popular by the licenses of the token’s mode, and shows a new license', async () => {
    let next = 0;
    const sell = (number: number, count: number, mode: Mode) =>
      server.operator.store.licenses.put(
        Array.from({ length: count }, () => ({
          externalId: `l-${next++}`,
          trackId: TRACKS[number]!.id,
          mode,
          licensedAt: server.clock.now() - 400 * DAY_MS,
          clientId: null,
        })),
        'test:harness',
        'batch',
      );
    await sell(20, 3, 'live');
    await sell(40, 5, 'live');
    await sell(60, 1, 'test');
    const first = async (mode: Mode) => {
      const options = {
        query: { sort: 'popular', pageSize: 3 },
        token: await client.token({ mode }),
      };
      return idsOf((await server.call('listTracks', options)).data);
    };
    const [newest, second] = inOrder(newestFirst);
    const [t20, t40, t60] = [20, 40, 60].map((number) => TRACKS[number]!.id);
    await server.until(async () => (await first('test'))[0] === t60);
    expect(await first('test')).toEqual([t60, newest, second]);
    await server.until(async () => (await first('live'))[0] === t40);
    expect(await first('live')).toEqual([t40, t20, newest]);
    await sell(20, 3, 'live');
    await server.until(async () => (await first('live'))[0] === t20);
  });
});

describe('ranges and keys', () => {
  const bpm = (track: TrackDelivery) => (track.bpm === '' ? Number.NaN : Number(track.bpm));
  const seconds = (track: TrackDelivery) => track.durationSeconds || Number.NaN;
  const carries = (track: TrackDelivery, key: string) =>
    track.songKey.some((one) => one.toLowerCase() === key);

  it.each<[string, Query, (track: TrackDelivery) => boolean]>([
    ['bpmMin', { bpmMin: 100 }, (t) => bpm(t) >= 100],
    ['bpmMax', { bpmMax: 99.875 }, (t) => bpm(t) <= 99.875],
    ['a tempo between two others', { bpmMin: 99.8, bpmMax: 99.9 }, (t) => bpm(t) === 99.875],
    ['one tempo', { bpmMin: 92, bpmMax: 92 }, (t) => bpm(t) === 92],
    ['any known tempo', { bpmMin: 0 }, (t) => t.bpm !== ''],
    ['no tempo', { bpmMin: 0, bpmMax: 0 }, () => false],
    ['a tempo that nothing has', { bpmMin: 900 }, () => false],
    ['durationMin', { durationMin: 200 }, (t) => seconds(t) >= 200],
    ['durationMax', { durationMax: 38 }, (t) => seconds(t) <= 38],
    ['any known length', { durationMax: 2_147_483_647 }, (t) => t.durationSeconds > 0],
    ['no length', { durationMax: 0 }, () => false],
    ['songKey', { songKey: 'A minor' }, (t) => carries(t, 'a minor')],
    ['songKey in another case', { songKey: 'a MINOR' }, (t) => carries(t, 'a minor')],
    ['the second of two keys', { songKey: 'RÉ MINEUR' }, (t) => carries(t, 'ré mineur')],
    [
      'a key in another Unicode form',
      { songKey: 'Ré mineur'.normalize('NFD') },
      (t) => carries(t, 'ré mineur'),
    ],
    ['a key that nothing has', { songKey: 'H dur' }, () => false],
    ['a key in another notation', { songKey: '8A' }, (t) => carries(t, 'a minor')],
    [
      'several keys',
      { songKey: 'a-moll,Dm' },
      (t) => ['a minor', 'ré mineur'].some((key) => carries(t, key)),
    ],
    ['an empty key', { songKey: '' }, () => true],
    [
      'all of them at once',
      { bpmMin: 75, bpmMax: 120, durationMin: 30, songKey: 'a minor', filterSlugs: ['ambient'] },
      (t) =>
        bpm(t) >= 75 &&
        bpm(t) <= 120 &&
        seconds(t) >= 30 &&
        carries(t, 'a minor') &&
        t.filters.some(({ name }) => name === 'Ambient'),
    ],
  ])('restricts by %s', async (_, query, holds) => {
    const ids = inOrder(newestFirst, holds);
    const page = await list(query);
    expect(idsOf(page)).toEqual(ids);
    expect(page.totalRecords).toBe(ids.length);
  });

  const newest = '2025-06-01';
  const released = (from: number, to: number) => (track: TrackDelivery) =>
    track.releasedAt! >= from && track.releasedAt! <= to;
  const [MIN, MAX] = [-8.64e15, 8.64e15];

  it.each<[Query, (track: TrackDelivery) => boolean]>([
    [{ releasedFrom: newest }, released(Date.UTC(2025, 5, 1), MAX)],
    [{ releasedFrom: '2025-06-01T00:00:00.001Z' }, released(Date.UTC(2025, 5, 1) + 1, MAX)],
    [{ releasedTo: newest }, released(MIN, Date.UTC(2025, 5, 2) - 1)],
    [{ releasedTo: '2025-06-01T00:00:00Z' }, released(MIN, Date.UTC(2025, 5, 1))],
    [{ releasedTo: '2025-05-31T23:59:59.999Z' }, released(MIN, Date.UTC(2025, 5, 1) - 1)],
    [{ releasedTo: '1969-12-31' }, released(MIN, -1)],
    [{ releasedFrom: '1969-12-31', releasedTo: '1970-01-01' }, released(-DAY_MS, DAY_MS - 1)],
    [
      { releasedFrom: '1969-12-31T23:59:59.999Z', releasedTo: '1969-12-31T23:59:59.999Z' },
      released(-1, -1),
    ],
    [{ releasedFrom: '0000-01-01', releasedTo: '9999-12-31' }, () => true],
    [{ releasedFrom: '9999-12-31' }, () => false],
  ])('restricts by %j', async (query, holds) => {
    expect(idsOf(await list(query))).toEqual(inOrder(newestFirst, holds));
  });
});

describe('facets', () => {
  type Facet = { slug: string; name: string; id: string; trackCount: number };

  it('are absent unless requested', async () => {
    expect(await list({})).not.toHaveProperty('facets');
    expect(await list({ facets: false })).not.toHaveProperty('facets');
  });

  it('count the whole result, for any page and order', async () => {
    const { facets } = await list({ facets: true });
    const count = (holds: (track: TrackDelivery) => boolean) => TRACKS.filter(holds).length;
    const carry = (name: string) => count((t) => t.filters.some((filter) => filter.name === name));
    const named = facets.filters.map(({ name, trackCount }: Facet) => [name, trackCount]);
    expect(Object.fromEntries(named)).toEqual({
      Ambient: carry('Ambient'),
      'Drum & Bass': carry('Drum & Bass'),
      Calm: carry('Calm'),
      Advertising: carry('Advertising'),
    });
    expect(facets.types).toEqual([
      { type: 'music', trackCount: count((t) => t.type === 'music') },
      { type: 'sfx', trackCount: count((t) => t.type === 'sfx') },
    ]);
    expect(facets.hasVocals).toEqual([
      { hasVocals: false, trackCount: count((t) => !t.hasVocals) },
      { hasVocals: true, trackCount: count((t) => t.hasVocals) },
    ]);
    for (const query of [{ pageSize: 1 }, { page: 99 }, { sort: 'name' }] as Query[]) {
      expect((await list({ facets: true, ...query })).facets).toEqual(facets);
    }
  });

  it('are ordered by the number of tracks, then by name', async () => {
    const { filters } = (await list({ facets: true })).facets;
    expect(filters).toEqual(
      [...filters].sort(
        (a: Facet, b: Facet) => b.trackCount - a.trackCount || (a.name < b.name ? -1 : 1),
      ),
    );
  });

  it.each<Query>([
    {},
    { search: 'o' },
    { search: 'ocaen' },
    { type: 'sfx' },
    { filterSlugs: ['calm'] },
    { bpmMax: 90, songKey: 'a minor', hasVocals: false },
    { releasedFrom: '2025-05-20' },
  ])('of %j equal the results of adding each filter', async (query) => {
    const { facets, totalRecords } = await list({ ...query, facets: true });
    expect(totalRecords).toBeGreaterThan(0);
    for (const { slug, trackCount } of facets.filters as Facet[]) {
      const filterSlugs = [...new Set([...((query.filterSlugs as string[]) ?? []), slug])];
      expect((await list({ ...query, filterSlugs })).totalRecords).toBe(trackCount);
    }
    const sum = (counts: { trackCount: number }[]) =>
      counts.reduce((total, { trackCount }) => total + trackCount, 0);
    expect(sum(facets.types)).toBe(totalRecords);
    expect(sum(facets.hasVocals)).toBe(totalRecords);
  });

  it.each<Query>([
    { filterSlugs: ['no-such-filter'] },
    { filterIds: ['00000000-0000-4000-8000-000000000000'] },
    { search: 'zzzzzz' },
    { bpmMin: 999 },
  ])('are empty if %j finds nothing', async (query) => {
    expect(await list({ ...query, facets: true })).toMatchObject({
      totalRecords: 0,
      items: [],
      facets: { filters: [], types: [], hasVocals: [], vocals: [], ai: [], trainingAllowed: [] },
    });
  });

  it('change with the catalog', async () => {
    const sfx = async () =>
      (await list({ facets: true, type: 'sfx' })).facets.types[0].trackCount as number;
    const before = await sfx();
    await setTrackState(server.operator.store, TRACKS[4]!.id, 'taken_down', 'test:harness');
    await server.until(async () => (await sfx()) === before - 1);
    await setTrackState(server.operator.store, TRACKS[4]!.id, 'live', 'test:harness');
    await server.until(async () => (await sfx()) === before);
  });
});
