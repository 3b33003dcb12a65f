import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TrackDelivery } from '../../src/features/catalog/track.ts';
import { delivery } from '../harness/catalog.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { setTrackState } from '../harness/track-state.ts';
import { until } from '../harness/until.ts';

const BY = 'test:harness';
let number = 0;

/** A track that differs from the others in its name, artist, ISRC and length. */
function track(name: string, change: Partial<TrackDelivery> = {}): TrackDelivery {
  number++;
  return delivery(number * 5, {
    ...{ name, slug: null, type: 'music', bpm: '', songKey: [], hasVocals: false, isrc: '' },
    durationSeconds: 100 + number * 10,
    releasedAt: Date.UTC(2024, 0, number),
    filters: [],
    ...change,
  });
}

const filters = (...names: string[]): TrackDelivery['filters'] =>
  names.map((name) => ({ type: name.startsWith('M') ? 'mood' : 'genre', name }));

const SEED = track('Seed', {
  ...{ bpm: '70', songKey: ['A minor'], isrc: 'QZES72400001', durationSeconds: 200 },
  filters: [...filters('Rock', 'Jazz', 'Merry', 'Mild'), { type: 'use-case', name: 'Film' }],
});
const ALL = filters('Rock', 'Jazz', 'Merry', 'Mild');
const TRACKS = [
  SEED,
  track('Double', { bpm: '140', filters: ALL }),
  track('Half', { bpm: '35', filters: ALL }),
  track('Half and a key', { bpm: '35', songKey: ['a minor'], filters: ALL }),
  track('Sung', { bpm: '70', hasVocals: true, filters: ALL }),
  track('Near', { bpm: '80', filters: ALL }),
  track('Unknown tempo', { filters: ALL }),
  track('Some', { bpm: '70', filters: filters('Rock', 'Merry') }),
  track('Other genre', { bpm: '70', filters: filters('Metal') }),
  track('Only the use-case', { bpm: '70', filters: [{ type: 'use-case', name: 'Film' }] }),
  track('A release', { bpm: '70', isrc: 'QZES72400001', filters: ALL }),
  track('seed!', { bpm: '70', durationSeconds: 202, artists: SEED.artists, filters: ALL }),
  track('SEED', { bpm: '70', durationSeconds: 203, artists: SEED.artists, filters: ALL }),
  track('An effect', { type: 'sfx', bpm: '70', filters: ALL }),
  track('Without filters', { bpm: '70.5' }),
  track('Without anything'),
];

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await startTestServer({ tracks: TRACKS });
  const client = await server.createClient({ scopes: ['similar'], features: ['similar'] });
  token = await client.token();
});
afterAll(() => server?.close());

async function similar(slug: string, query: Record<string, string | number | boolean> = {}) {
  const { status, data } = await server.call('listSimilarTracks', {
    token,
    params: { slug },
    query,
  });
  return {
    status,
    items: data.items as { score: number; reasons: object; track: { name: string } }[],
  };
}
const names = async (slug: string, query = {}) =>
  (await similar(slug, query)).items.map(({ track }) => track.name);

describe('GET /v1/tracks/{slug}/similar', () => {
  it('orders tracks by score, then by a key in common, equal vocals and release', async () => {
    expect(await names('seed')).toEqual([
      'Half and a key',
      'SEED',
      'Half',
      'Double',
      'Sung',
      'Near',
      'Unknown tempo',
      'Some',
    ]);
  });

  it('tells what each track has in common with the given one', async () => {
    const { items } = await similar('seed');
    expect(items.find(({ track }) => track.name === 'Some')).toMatchObject({
      score: 0.625,
      reasons: {
        ...{ genre: 0.5, mood: 0.5, bpm: 1, key: false, hasVocals: true },
        sharedFilters: ['merry', 'rock'],
      },
    });
    expect(items.find(({ track }) => track.name === 'Near')).toMatchObject({
      score: 0.875,
      reasons: { genre: 1, mood: 1, bpm: 0.5 },
    });
    expect(items.find(({ track }) => track.name === 'Unknown tempo')).toMatchObject({
      score: 0.75,
      reasons: { bpm: 0 },
    });
  });

  it('leaves out what the given track lacks', async () => {
    const { items } = await similar('unknown-tempo', { limit: 1 });
    expect(items[0]).toMatchObject({ score: 1, reasons: { genre: 1, mood: 1, bpm: null } });
    const byTempo = await similar('without-filters', { bpmRange: 1 });
    for (const item of byTempo.items) {
      expect(item).toMatchObject({ score: 0.5, reasons: { genre: null, mood: null, bpm: 0.5 } });
    }
    const found = byTempo.items.map(({ track }) => track.name);
    expect(found).toEqual(expect.arrayContaining(['Half', 'Double', 'Some', 'Other genre']));
    expect(found).not.toContain('Near');
    expect(await names('without-anything')).toEqual([]);
  });

  it('takes the parameters into account', async () => {
    expect(await names('seed', { limit: 2 })).toEqual(['Half and a key', 'SEED']);
    expect(await names('seed', { bpmRange: 1, filterSlugs: 'rock,mild' })).toContain('Near');
    expect(await names('seed', { hasVocals: true })).toEqual(['Sung']);
    expect(await names('seed', { type: 'sfx' })).toEqual(['An effect']);
    expect(await names('seed', { filterSlugs: 'film' })).toEqual([]);
  });

  it('takes a slug or an id in either case, and returns the same in both modes', async () => {
    const expected = await names('seed');
    expect(await names('SEED')).toEqual(expected);
    expect(await names(SEED.id.toUpperCase())).toEqual(expected);
    const client = await server.createClient({ scopes: ['similar'], features: ['similar'] });
    const { data } = await server.call('listSimilarTracks', {
      token: await client.token({ mode: 'live' }),
      params: { slug: 'seed' },
    });
    expect(data.items.map((item: { track: { name: string } }) => item.track.name)).toEqual(
      expected,
    );
  });

  it('shows changes, and does not find a track that was taken down', async () => {
    const [double] = TRACKS.filter(({ name }) => name === 'Double');
    await setTrackState(server.operator.store, double!.id, 'taken_down', BY);
    await until(async () => !(await names('seed')).includes('Double'));
    expect((await similar('double')).status).toBe(404);
    await setTrackState(server.operator.store, double!.id, 'live', BY);
    await until(async () => (await names('seed')).includes('Double'));
    expect((await similar('double')).status).toBe(200);
  });

  it('is refused while the feature is off', async () => {
    const client = await server.createClient({ scopes: ['tracks'] });
    const { status, error } = await server.call('listSimilarTracks', {
      token: await client.token(),
      params: { slug: 'seed' },
    });
    expect({ status, type: error.type }).toEqual({ status: 403, type: 'feature_not_enabled' });
  });
});
