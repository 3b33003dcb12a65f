import { describe, expect, it } from 'vitest';
import { record } from '../../../../test/harness/import-bench.ts';
import type { TrackDelivery } from '../../catalog/track.ts';
import { trackMaker } from './track.ts';

const make = trackMaker({ source: 'acme' });

function delivered(value: unknown): TrackDelivery {
  const prepared = make(value);
  expect(prepared.problems).toBeNull();
  return prepared.delivery!;
}

function problems(value: unknown): string[] {
  return make(value).problems!.map(({ field, message }) => `${field} ${message}`);
}

describe('trackMaker', () => {
  it('omits a credit without a name, and accepts the track', () => {
    const artists = [{ role: 'X' }, { name: null }, { name: ' ' }, { name: 'Ann' }, {}];
    const prepared = make(record('1', { artists }));
    expect(prepared).toMatchObject({ problems: null, namelessCredits: 4 });
    expect(prepared.delivery!.artists.map(({ name }) => name)).toEqual(['Ann']);
    expect(make(record('1', { artists: [{ name: 'Ann' }] }))).toMatchObject({ namelessCredits: 0 });
  });

  it('replaces unknown values by the empty value of their type', () => {
    expect(delivered(record('1'))).toMatchObject({
      source: 'acme',
      externalId: '1',
      bpm: '',
      songKey: [],
      timeSignature: '',
      durationSeconds: 0,
      region: 'WORLD',
      releasedAt: null,
      hasVocals: false,
      isPRO: false,
      tags: [],
      isrc: '',
      artists: [],
      filters: [],
    });
  });

  it('reports wrong values together with wrong types, each member once', () => {
    const value = { externalId: {}, name: 5, bpm: -1, isrc: 'x', hasVocals: 'yes', type: 'music' };
    expect(problems(value).map((problem) => problem.split(' ')[0])).toEqual([
      'externalId',
      'name',
      'hasVocals',
      'bpm',
      'isrc',
    ]);
  });

  it('refuses an id that was rounded when it was parsed', () => {
    const [one, other] = ['12345678901234567890', '12345678901234567891'].map((id) =>
      JSON.parse(`{"externalId": ${id}, "name": "One", "type": "music"}`),
    );
    expect(one.externalId).toBe(other.externalId);
    expect(problems(one)).toEqual([
      'externalId must be a text or a whole number of up to 15 digits; it is 12345678901234567000',
    ]);
    expect(delivered({ ...one, externalId: 123_456_789_012_345 }).externalId).toBe(
      '123456789012345',
    );
  });

  it('treats null as absence', () => {
    const nulls = {
      bpm: null,
      tags: null,
      artists: null,
      releaseDate: null,
      isPRO: null,
      id: null,
    };
    expect(delivered(record('1', nulls))).toEqual(delivered(record('1')));
  });

  it('derives the id from source and externalId, and prefers a given one', () => {
    const { id } = delivered(record('1'));
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab]/);
    expect(trackMaker({ source: 'other' })(record('1')).delivery!.id).not.toBe(id);
    expect(delivered(record('1', { name: 'Another' })).id).toBe(id);
    const given = '0E6D2A30-0B5C-4A5E-9B2D-0D6A7B8C9D0E';
    expect(delivered(record('1', { id: given })).id).toBe(given.toLowerCase());
    expect(delivered({ ...record('1'), externalId: 17 }).externalId).toBe('17');
  });

  it.each([
    [117, '117'],
    ['130.000000', '130'],
    [' 128.5 ', '128.5'],
    [99.99999, '100'],
    [0, ''],
    ['', ''],
  ])('writes the tempo %j as %j', (bpm, expected) => {
    expect(delivered(record('1', { bpm })).bpm).toBe(expected);
  });

  it.each([
    [0.02, 1],
    [0, 0],
    [8359, 8359],
    ['12.5', 13],
    [1.4, 1],
  ])('rounds a duration of %j to %j', (durationSeconds, expected) => {
    expect(delivered(record('1', { durationSeconds })).durationSeconds).toBe(expected);
  });

  it('makes names NFC and trims them, and changes nothing else', () => {
    expect(delivered(record('1', { name: ' Cafe\u0301 SeÃ±or <b>&amp;\t' })).name).toBe(
      'Café SeÃ±or <b>&amp;',
    );
  });

  it('sets the primary flag only on the first primary artist, and merges equal credits', () => {
    const artists = [
      { name: 'A', role: 'composer', isPrimary: true },
      { name: 'B', role: 'main artist', isPrimary: true },
      { name: 'a', role: 'COMPOSER', isPrimary: false },
    ];
    const credits = delivered(record('1', { artists })).artists;
    expect(credits.map(({ name, role, isPrimary }) => [name, role, isPrimary])).toEqual([
      ['A', 'COMPOSER', true],
      ['B', 'MAIN_ARTIST', false],
    ]);
  });

  it('identifies an artist by externalId within the source, otherwise by folded name in all sources', () => {
    const ids = (source: string, artist: object) =>
      trackMaker({ source })(record('1', { artists: [artist] })).delivery!.artists[0]!.id;
    expect(ids('a', { name: 'Beyoncé' })).toBe(ids('b', { name: 'BEYONCE' }));
    expect(ids('a', { name: 'X', externalId: '7' })).toBe(ids('a', { name: 'Y', externalId: 7 }));
    expect(ids('a', { name: 'X', externalId: '7' })).not.toBe(
      ids('b', { name: 'X', externalId: '7' }),
    );
    expect(ids('a', { name: '***' })).not.toBe(ids('a', { name: '???' }));
  });

  it('accepts filters in both forms, without duplicates', () => {
    const filters = ['genre:Ambient', { type: 'genre', name: 'ambient' }, 'use-case: Podcast '];
    expect(delivered(record('1', { filters })).filters).toEqual([
      { type: 'genre', name: 'Ambient' },
      { type: 'use-case', name: 'Podcast' },
    ]);
  });

  it('keeps tags as delivered, without duplicates and empty ones', () => {
    expect(delivered(record('1', { tags: ['a', ' a', '', 'A'] })).tags).toEqual(['a', 'A']);
  });

  it.each(['-', '\u2010', '\u2011', '\u2013', '\u2212', '\uff0d', '\u00ad', ' '])(
    'takes an ISRC whose parts are separated by %j',
    (sign) => {
      const isrc = ['US', 'UAN', '11', '00001'].join(sign);
      expect(delivered(record('1', { isrc })).isrc).toBe('USUAN1100001');
    },
  );

  it('normalizes ISRC, region, time signature and key', () => {
    const track = delivered(
      record('1', {
        isrc: 'us-uan-11-00001',
        region: 'eu',
        timeSignature: '6 / 8',
        songKey: 'C major',
      }),
    );
    expect(track).toMatchObject({
      isrc: 'USUAN1100001',
      region: 'EU',
      timeSignature: '6/8',
      songKey: ['C major'],
    });
  });

  it('accepts a reserved slug, to which the store adds a number', () => {
    expect(delivered(record('1', { slug: 'changes' })).slug).toBe('changes');
  });

  it.each([
    ['a number', 42, 'must be a JSON object'],
    ['a list', [], 'must be a JSON object'],
    ['no name', { externalId: '1', type: 'music' }, 'name is missing'],
    ['an empty name', record('1', { name: ' ' }), 'name must not be empty'],
    ['a name that is not a text', record('1', { name: 7 }), 'name must be a text; it is 7'],
    [
      'a name that is too long',
      record('1', { name: 'x'.repeat(5000) }),
      'name must have 1000 characters',
    ],
    ['NUL in a name', record('1', { name: 'a\0b' }), 'name must not hold the NUL'],
    ['half a surrogate pair', record('1', { name: 'a\ud800' }), 'name must be well-formed'],
    ['no type', { externalId: '1', name: 'N' }, 'type is missing'],
    [
      'an unknown type',
      record('1', { type: 'Music' }),
      'type must be `music` or `sfx`; it is "Music" (`values` of a mapping replaces words)',
    ],
    ['no id', { name: 'N', type: 'sfx' }, 'externalId is missing, and so is id'],
    ['a bad UUID', record('1', { id: '123' }), 'id must be a UUID; it is "123"'],
    ['a bad slug', record('1', { slug: 'Night Rain' }), 'slug must be lower-case'],
    [
      'a slug like a UUID',
      record('1', { slug: '0e6d2a30-0b5c-4a5e-9b2d-0d6a7b8c9d0e' }),
      'slug must be lower-case ASCII words joined by hyphens and not have the form of a UUID',
    ],
    ['a tempo in words', record('1', { bpm: 'fast' }), 'bpm must be a number between 0 and 1000'],
    ['a tempo with a comma', record('1', { bpm: '92,5' }), '`decimal` of a mapping reads commas'],
    ['a negative tempo', record('1', { bpm: -1 }), 'bpm must be a number between 0 and 1000'],
    [
      'a negative duration',
      record('1', { durationSeconds: -3 }),
      'durationSeconds must be a number',
    ],
    ['a duration in hex', record('1', { durationSeconds: '0x10' }), 'durationSeconds must be'],
    ['a bad date', record('1', { releaseDate: '2013-02-30' }), 'releaseDate must be a date'],
    [
      'a bad time signature',
      record('1', { timeSignature: '4' }),
      'timeSignature must be of the form',
    ],
    ['a bad ISRC', record('1', { isrc: 'ABC' }), 'isrc must be an ISRC'],
    ['a region in words', record('1', { region: 'all over' }), 'region must be a region code'],
    ['a flag in words', record('1', { isPRO: 'yes' }), 'isPRO must be true or false; it is "yes"'],
    [
      'tags that are not a list',
      record('1', { tags: { genre: [] } }),
      'tags must be a list of texts',
    ],
    [
      'an artist whose name is not a text',
      record('1', { artists: [{ name: 7 }] }),
      'artists must be a list',
    ],
    [
      'a role in digits',
      record('1', { artists: [{ name: 'A', role: '1st' }] }),
      'artists[0].role must be one word of ASCII letters',
    ],
    [
      'a filter without a type',
      record('1', { filters: ['Ambient'] }),
      'filters[0] must be of the form',
    ],
    [
      'a filter of an unknown type',
      record('1', { filters: ['color:Red'] }),
      'filters[0].type must be one of genre, mood, use-case',
    ],
  ])('rejects %s', (_, value, expected) => {
    expect(problems(value).join('\n')).toContain(expected);
  });

  it('reports all problems of a record together', () => {
    expect(problems(record('1', { bpm: 'x', isrc: 'y', name: '' }))).toHaveLength(3);
    expect(
      problems({ name: 1, type: 2, isPRO: 3 }).map((problem) => problem.split(' ')[0]),
    ).toEqual(['name', 'type', 'isPRO', 'externalId']);
  });

  it('keeps the id of a rejected record if it is known', () => {
    const { id } = delivered(record('1'));
    expect(make(record('1', { name: '' }))).toMatchObject({ delivery: null, id });
    expect(make({ name: 'N' })).toMatchObject({ delivery: null, id: null });
  });

  it('ignores members of the prototype', () => {
    const value = JSON.parse(
      '{"externalId":"1","type":"music","name":"N","__proto__":{"isPRO":true}}',
    );
    expect(delivered(value).isPRO).toBe(false);
    expect(
      make(JSON.parse('{"__proto__":{"externalId":"1","type":"music","name":"N"}}')).delivery,
    ).toBeNull();
  });

  it('uses the default type for a record without a type', () => {
    const makeSfx = trackMaker({ source: 'acme', type: 'sfx' });
    expect(makeSfx({ externalId: '1', name: 'N' }).delivery!.type).toBe('sfx');
    expect(makeSfx(record('1')).delivery!.type).toBe('music');
  });

  it('rejects values that are nested too deeply to show', () => {
    const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`);
    expect(problems(record('1', { bpm: deep }))[0]).toContain('nested too deeply');
  });
});
