import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TrackDelivery } from '../../src/features/catalog/track.ts';
import { vocalsOf } from '../../src/features/catalog/vocals.ts';
import { delivery } from '../harness/catalog.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

const KEYS = [
  ['A minor'],
  ['a-moll'],
  ['Bb minor', 'C'],
  ['Dorian on D'],
  ['A minor, C major'],
  [],
];
const ARTISTS = ['Beyoncé', 'BEYONCE', 'Beyoncé Trio', "Guns N' Roses", '!!!', 'Мария'];
const TRACKS = Array.from({ length: 24 }, (_, i) => {
  const base = delivery(i);
  return delivery(i, {
    hasVocals: i % 4 === 0,
    isInstrumental: i % 4 === 1,
    songKey: KEYS[i % KEYS.length]!,
    artists: [{ ...base.artists[0]!, name: ARTISTS[i % ARTISTS.length]! }],
    audioKey: i % 3 === 0 ? `${'a'.repeat(64)}.wav` : null,
  });
});

let server: TestServer;
let token: string;
beforeAll(async () => {
  server = await startTestServer({ tracks: TRACKS });
  token = await (await server.createClient({ features: ['saved-searches'] })).token();
});
afterAll(() => server?.close());

interface Listed {
  id: string;
  vocals: string;
  hasVocals: boolean;
}

/** Returns the data of both endpoints, which must be equal. */
async function found(query: Record<string, unknown>, inUrl = query) {
  const all = { pageSize: 100, facets: true };
  const listed = await server.call('listTracks', { token, query: { ...inUrl, ...all } });
  const searched = await server.call('searchTracks', { token, body: { ...query, ...all } });
  const shared = ({ items, ...data }: { items: Listed[] }) => [items.map(({ id }) => id), data];
  expect(shared(listed.data)).toEqual(shared(searched.data));
  return searched.data;
}

async function expectFound(
  query: Record<string, unknown>,
  holds: (track: TrackDelivery) => boolean,
  inUrl = query,
) {
  const { items } = await found(query, inUrl);
  const expected = TRACKS.filter(holds).map(({ id }) => id);
  expect(items.map(({ id }: Listed) => id).sort()).toEqual(expected.sort());
}

async function refused(query: Record<string, unknown>) {
  const { status, error } = await server.call('searchTracks', { token, body: query });
  expect(status).toBe(400);
  return error.details!;
}

const count = (holds: (track: TrackDelivery) => boolean) => TRACKS.filter(holds).length;

describe('vocals', () => {
  it.each([
    [['vocal']],
    [['instrumental']],
    [['unknown']],
    [['unknown', 'vocal']],
    [['vocal', 'instrumental']],
    [['instrumental', 'unknown']],
    [['vocal', 'instrumental', 'unknown']],
  ])('restrict to any of %j', async (vocals) => {
    await expectFound({ vocals }, (track) => vocals.includes(vocalsOf(track)));
    await expectFound({ vocals, hasVocals: false }, (track) => {
      return !track.hasVocals && vocals.includes(vocalsOf(track));
    });
  });

  it('are shown beside hasVocals, which is false where they are unknown', async () => {
    const { items } = await found({});
    const shown = new Set(items.map(({ vocals, hasVocals }: Listed) => `${vocals} ${hasVocals}`));
    expect(shown).toEqual(new Set(['vocal true', 'instrumental false', 'unknown false']));
    await expectFound({ vocals: [] }, () => true);
  });

  it('are counted in facets, each as if it were the only choice', async () => {
    const { facets } = await found({ type: 'music' });
    const counts = (of: (track: TrackDelivery) => boolean) =>
      ['vocal', 'instrumental', 'unknown']
        .map((vocals) => ({
          vocals,
          trackCount: count((track) => of(track) && vocalsOf(track) === vocals),
        }))
        .filter(({ trackCount }) => trackCount > 0);
    const byName = (one: { vocals: string }, other: { vocals: string }) =>
      one.vocals < other.vocals ? -1 : 1;
    const music = counts(({ type }) => type === 'music').sort(byName);
    expect(facets.vocals.toSorted(byName)).toEqual(music);
    const chosen = await found({ type: 'music', vocals: ['instrumental'] });
    expect(chosen.facets.vocals.toSorted(byName)).toEqual(music);
    expect(chosen.facets.hasVocals).toEqual([
      { hasVocals: false, trackCount: chosen.totalRecords },
    ]);
    for (const { vocals, trackCount } of music) {
      const { totalRecords } = await found({ type: 'music', vocals: [vocals] });
      expect(totalRecords).toBe(trackCount);
    }
  });

  it('are refused unless they are different known words', async () => {
    for (const vocals of [['none'], ['vocal', 'vocal'], 'vocal', [null]]) {
      expect((await refused({ vocals }))[0]!.field).toMatch(/^vocals/);
    }
  });
});

describe('hasAudio', () => {
  it('divides the tracks by their member', async () => {
    await expectFound({ hasAudio: true }, ({ audioKey }) => audioKey !== null);
    await expectFound({ hasAudio: false }, ({ audioKey }) => audioKey === null);
    await expectFound(
      { hasAudio: true, vocals: ['unknown'], notFilterSlugs: ['calm'] },
      (track) => {
        const isCalm = track.filters.some(({ name }) => name === 'Calm');
        return track.audioKey !== null && vocalsOf(track) === 'unknown' && !isCalm;
      },
    );
    expect((await refused({ hasAudio: 'true' }))[0]!.field).toBe('hasAudio');
  });
});

describe('artist', () => {
  it.each([
    ['beyonce', ['Beyoncé', 'BEYONCE']],
    [' BEYONCÉ ', ['Beyoncé', 'BEYONCE']],
    ['Beyoncé T', []],
    ['beyonce trio', ['Beyoncé Trio']],
    ['guns n roses', ["Guns N' Roses"]],
    ['Roses', []],
    ['!!!', ['!!!']],
    ['!', []],
    ['МАРИЯ', ['Мария']],
  ])('%s finds the whole name, folded', async (artist, names) => {
    await expectFound({ artist }, ({ artists }) => names.includes(artists[0]!.name));
  });

  it('may be empty, and has at most 200 characters', async () => {
    await expectFound({ artist: ' ' }, () => true);
    expect((await refused({ artist: 'a'.repeat(201) }))[0]!.field).toBe('artist');
  });
});

describe('songKey', () => {
  const has =
    (...keys: string[]) =>
    ({ songKey }: TrackDelivery) =>
      songKey.some((key) => keys.includes(key));

  it.each(['A minor', 'Am', 'A-MOLL', '8A', '1m'])('%s finds every spelling', async (songKey) => {
    await expectFound({ songKey }, has('A minor', 'a-moll'));
  });

  it('finds an enharmonic key, a stored text, and any of several', async () => {
    await expectFound({ songKey: 'A# minor' }, has('Bb minor'));
    await expectFound({ songKey: 'B-Dur' }, () => false);
    await expectFound({ songKey: 'dorian on d' }, has('Dorian on D'));
    await expectFound({ songKey: 'A minor, C MAJOR' }, has('A minor, C major'));
    const both = has('A minor', 'a-moll', 'C', 'Bb minor');
    await expectFound({ songKey: ['Am', '8B'] }, both, { songKey: 'Am,8B' });
    await expectFound({ songKey: 'Am, 8B' }, both);
    await expectFound({ songKey: [] }, () => true, {});
    const { status, data } = await server.call('listTracks', {
      token,
      query: 'songKey=Am&songKey=8B&pageSize=100',
    });
    expect([status, data.totalRecords]).toEqual([200, count(both)]);
  });

  it('is refused if it is neither a key nor stored, and names the notations', async () => {
    for (const songKey of ['purple', 'Am,purple', ['Am', 'purple']]) {
      expect(await refused({ songKey })).toEqual([
        {
          field: 'songKey',
          message: expect.stringMatching(/A minor, Am, a-moll, 8A \(Camelot\).*purple is neither$/),
        },
      ]);
    }
    const long = await refused({ songKey: Array(25).fill('Am') });
    expect(long[0]!.field).toBe('songKey');
    expect((await refused({ songKey: 5 }))[0]!.field).toBe('songKey');
  });
});

describe('a saved search', () => {
  it('takes them, and reads a key that nobody could mean any more', async () => {
    const search = { vocals: ['unknown'], hasAudio: true, artist: 'beyonce', songKey: ['Am', 'C'] };
    const { data } = await server.call('createSavedSearch', { token, body: { name: 'a', search } });
    expect(data.search).toEqual(search);
    const matching = (await found(search)).totalRecords;
    expect(data.totalRecords).toBe(matching);
  });
});
