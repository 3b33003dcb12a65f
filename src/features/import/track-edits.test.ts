import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EditableTrack } from '../catalog/track-edits.ts';
import { EDITABLE_FIELDS, valueIn } from '../catalog/track-edits.ts';
import { trackMaker } from './canonical/track.ts';
import { cellsOf, editedValues, HiddenChanges } from './track-edits.ts';

const RECORD = {
  externalId: '1',
  name: 'Night Drive',
  type: 'music',
  artists: [
    { name: 'Mara Lindt', isPrimary: true, externalId: 'ml' },
    { name: 'Jon Ek', role: 'COMPOSER' },
  ],
  filters: ['genre:Ambient'],
  releaseDate: '2024-03-08',
  durationSeconds: 184,
  iswc: '',
  language: '',
};

function trackOf(record: object): EditableTrack {
  const { delivery } = trackMaker({ source: 'label-a' })({ ...RECORD, ...record });
  const track = { id: delivery!.id, slug: 'night-drive', source: 'label-a', edits: {} };
  return { ...track, delivered: delivery!, effective: delivery! };
}

describe('the cells of a track', () => {
  it('have the forms of the columns of an import', () => {
    const track = trackOf({ tags: ['piano', 'a|b\\'], hasVocals: true, songKey: ['C', 'D'] });
    expect(cellsOf(track)).toMatchObject({
      ...{ name: 'Night Drive', type: 'music', tags: 'piano|a\\|b\\\\', songKey: 'C|D' },
      artists: 'MAIN_ARTIST:Mara Lindt|COMPOSER:Jon Ek',
      ...{ filters: 'genre:Ambient', releaseDate: '2024-03-08', durationSeconds: '184' },
      ...{ hasVocals: 'yes', isPRO: 'no', isrc: '', bpm: '', region: 'WORLD', language: '' },
    });
    const exact = trackOf({ releaseDate: '2024-03-08T10:00:00Z', durationSeconds: 0 });
    expect(cellsOf(exact)).toMatchObject({
      ...{ releaseDate: '2024-03-08T10:00:00.000Z', durationSeconds: '' },
    });
  });

  it('are JSON where a list could not be read again', () => {
    const artists = [{ name: 'DJ: X', role: 'DJ' }];
    const { tags, artists: credits } = cellsOf(trackOf({ tags: ['[live]'], artists }));
    expect(tags).toBe('["[live]"]');
    expect(credits).toBe('[{"name":"DJ: X","role":"DJ","isPrimary":false}]');
  });

  it('make the same values again', () => {
    const word = fc.stringMatching(/^[[\]|\\:,a-zA-Z ]{1,8}$/);
    const artist = fc.record({
      ...{ name: word, isPrimary: fc.boolean() },
      role: fc.constantFrom('MAIN_ARTIST', 'COMPOSER', 'DJ'),
    });
    const records = fc.record({
      ...{ name: word.filter((name) => name.trim() !== ''), tags: fc.array(word) },
      ...{ songKey: fc.array(word), artists: fc.array(artist) },
      filters: fc.array(
        fc.record({ type: fc.constant('mood'), name: fc.constantFrom('A|B', 'C') }),
      ),
      ...{ bpm: fc.constantFrom(0, 92.5), timeSignature: fc.constantFrom('', '3/4') },
      ...{ iswc: fc.constantFrom('', 'T-034.524.680-1'), language: fc.constantFrom('', 'de') },
    });
    fc.assert(
      fc.property(records, (record) => {
        const track = trackOf(record);
        const set = editedValues(track, cellsOf(track));
        for (const field of EDITABLE_FIELDS) {
          expect(set[field], field).toEqual(valueIn(track.effective, field));
        }
      }),
    );
  });
});

describe('edited values', () => {
  const track = trackOf({});

  it('are canonical, and an empty cell is an unknown value', () => {
    const cells = { name: ' Night\u00a0', isrc: 'de-a12-00-00001', bpm: '92.50', tags: 'a|a' };
    const set = { name: 'Night', isrc: 'DEA120000001', bpm: '92.5', tags: ['a'] };
    expect(editedValues(track, cells)).toEqual(set);
    const empty = { isrc: '', tags: ' ', durationSeconds: '', region: '', hasVocals: '', iswc: '' };
    expect(editedValues(track, empty)).toEqual({
      ...{ isrc: '', tags: [], durationSeconds: 0, region: 'WORLD', hasVocals: false, iswc: '' },
    });
    expect(editedValues(track, {})).toEqual({});
  });

  it('keep the ids of artists of the same name', () => {
    const { artists } = editedValues(track, { artists: 'Mara Lindt|COMPOSER:New' });
    expect(artists).toMatchObject([
      { name: 'Mara Lindt', id: track.delivered.artists[0]!.id, isPrimary: true },
      { name: 'New', role: 'COMPOSER' },
    ]);
  });

  it.each([
    [{ name: ' ' }, 'name must not be empty'],
    [{ type: '' }, 'type must be `music` or `sfx`'],
    [
      { isrc: 'XX', bpm: 'fast' },
      'bpm must be a number between 0 and 1000; it is "fast"; isrc must',
    ],
    [{ releaseDate: '' }, 'releaseDate must not be empty'],
    [{ releaseDate: '2024-02-30' }, 'releaseDate must be a date such as'],
    [{ hasVocals: 'maybe' }, 'hasVocals must be true or false; it is "maybe"'],
    [{ filters: 'Ambient' }, 'filters[0] must be of the form "genre:Ambient"'],
    [{ iswc: 'T-034.524.680-2' }, 'with a wrong check digit'],
    [{ tags: '["a"' }, 'tags must be a list of texts'],
    [{ tags: [...Array(201).keys()].join('|') }, 'tags must list 200 at most; it lists 201'],
    [{ name: 'x'.repeat(1_001) }, 'name must have 1000 characters at most'],
    [
      { artists: '[{"name":"X","ipi":"00014107338"}]' },
      'artists must have neither ipi, society nor',
    ],
  ])('are refused for %j', (cells, message) => {
    expect(() => editedValues(track, cells)).toThrow(message);
  });
});

describe('the notes about changes beneath edits', () => {
  it('are bounded in number and length', () => {
    const notes = new HiddenChanges();
    expect(notes.lines()).toEqual([]);
    const change = { slug: 'night-drive', field: 'name', from: 'A', to: 'x'.repeat(99) } as const;
    notes.add([{ ...change, to: 'B', isAsEdited: true }]);
    for (let i = 0; i < 22; i++) notes.add([{ ...change, isAsEdited: false }]);
    const lines = notes.lines();
    expect(lines[0]).toBe(
      'night-drive: the delivered name changes from "A" to "B"; its edit has the same value, and stays',
    );
    expect(lines[1]).toBe(
      `night-drive: the delivered name changes from "A" to "${'x'.repeat(56)}…; its edit stays`,
    );
    expect(lines.slice(20)).toEqual(['3 more delivered values change; their edits stay']);
  });
});
