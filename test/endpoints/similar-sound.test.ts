import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { derivedId } from '../../src/common/ids.ts';
import type { TrackDelivery } from '../../src/features/catalog/track.ts';
import { delivery } from '../harness/catalog.ts';
import { giveSounds, soundAt } from '../harness/sounds.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { until } from '../harness/until.ts';

const keyOf = (number: number) => `${String(number).padStart(64, '0')}.wav`;

let number = 0;
const sounds = new Map<string, Int8Array>();

function credits(name: string): TrackDelivery['artists'] {
  const id = derivedId('test', 'artist', name);
  return [{ id, externalId: null, name, role: 'MAIN_ARTIST', isPrimary: true }];
}

/** A track whose sound is at an angle from that of the seed; undefined if it has not been analyzed. */
function track(name: string, angle: number | undefined, change: Partial<TrackDelivery> = {}) {
  number++;
  if (angle !== undefined) sounds.set(keyOf(number), soundAt(angle));
  return delivery(number * 5, {
    ...{ name, slug: null, type: 'music', bpm: '', songKey: [], hasVocals: false, isrc: '' },
    ...{ durationSeconds: 100 + number * 10, releasedAt: Date.UTC(2024, 0, number) },
    artists: credits(`Artist ${number}`),
    filters: [{ type: 'genre', name: 'Rock' }],
    audioKey: keyOf(number),
    ...change,
  });
}

const ONE = { artists: credits('One'), filters: [{ type: 'genre' as const, name: 'Soul' }] };
const TRACKS = [
  track('Seed', 0, { bpm: '100', isrc: 'QZES72400001' }),
  track('Another release', 0, { isrc: 'QZES72400001' }),
  track('Second', 10, { hasVocals: true, filters: [{ type: 'genre', name: 'Metal' }] }),
  track('First', 5, { filters: [{ type: 'mood', name: 'Calm' }] }),
  track('An effect', 1, { type: 'sfx' }),
  track('Opposite', 180),
  track('Not analyzed', undefined, { bpm: '100' }),
  ...[20, 21, 22, 23, 24].map((angle) => track(`By one ${angle}`, angle, ONE)),
  ...[30, 31, 32, 33, 34].map((angle) => track(`Other ${angle}`, angle)),
];

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await startTestServer({ tracks: TRACKS });
  const client = await server.createClient({ scopes: ['similar'], features: ['similar'] });
  token = await client.token();
  await giveSounds(server.operator.store, sounds);
  await until(async () => (await similar({ by: 'sound', type: 'sfx' })).items.length > 0);
});
afterAll(() => server?.close());

async function similar(query: Record<string, string | number | boolean>, slug = 'seed') {
  const { status, data, error } = await server.call('listSimilarTracks', {
    ...{ token, query },
    params: { slug },
  });
  const items = (data.items ?? []) as {
    score: number;
    reasons: { sound: number | null; genre: number | null };
    track: { name: string };
  }[];
  return { status, error, items, names: items.map(({ track }) => track.name) };
}

describe('GET /v1/tracks/{slug}/similar?by=sound', () => {
  it('orders tracks by the likeness of their sound, other releases and effects left out', async () => {
    const { items, names } = await similar({ by: 'sound' });
    expect(names.slice(0, 2)).toEqual(['First', 'Second']);
    expect(names).not.toContain('Another release');
    expect(names).not.toContain('An effect');
    expect(names).not.toContain('Not analyzed');
    expect(items[0]).toMatchObject({ score: 0.9965, reasons: { sound: 0.9965, genre: 0 } });
  });

  it('shows an artist three times among the first ten, and the others after these', async () => {
    const { names } = await similar({ by: 'sound' });
    const ofOne = names.flatMap((name, i) => (name.startsWith('By one') ? [i] : []));
    expect(ofOne).toEqual([2, 3, 4, 10, 11]);
    expect(names).toHaveLength(13);
  });

  it('ends where only tracks of an artist who has three are left', async () => {
    const { names } = await similar({ by: 'sound', filterSlugs: 'soul', limit: 100 });
    expect(names).toEqual(['By one 20', 'By one 21', 'By one 22']);
  });

  it('shows 0 for the opposite', async () => {
    const { items } = await similar({ by: 'sound' });
    expect(items.find(({ track }) => track.name === 'Opposite')?.reasons.sound).toBe(0);
  });

  it('combines with the other parameters', async () => {
    expect((await similar({ by: 'sound', hasVocals: true })).names).toEqual(['Second']);
    expect((await similar({ by: 'sound', filterSlugs: 'metal' })).names).toEqual(['Second']);
    expect((await similar({ by: 'sound', type: 'sfx' })).names).toEqual(['An effect']);
    expect((await similar({ by: 'sound', limit: 1 })).names).toEqual(['First']);
  });

  it('ranks by both by the mean of the ranks', async () => {
    const { items, names } = await similar({ by: 'both', limit: 100 });
    // By metadata it is the best, and not compared by sound.
    expect(names).toContain('Not analyzed');
    expect(items.find(({ track }) => track.name === 'Not analyzed')?.reasons.sound).toBeNull();
    const scores = items.slice(0, 10).map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  });

  it('responds to a track that has not been analyzed with 409, but not by metadata', async () => {
    for (const by of ['sound', 'both']) {
      const { status, error } = await similar({ by }, 'not-analyzed');
      expect(status).toBe(409);
      expect(error).toMatchObject({
        type: 'conflict',
        message: expect.stringContaining('analyzed'),
      });
    }
    const { status, items } = await similar({ by: 'metadata' }, 'not-analyzed');
    expect(status).toBe(200);
    expect(items[0]!.reasons.sound).toBeNull();
  });

  it('refuses another value of by', async () => {
    const { status, error } = await similar({ by: 'taste' });
    expect({ status, field: error.details?.[0]?.field }).toEqual({ status: 400, field: 'by' });
  });
});
