import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  counts,
  type ImportBench,
  ndjson,
  openImportBench,
  record,
} from '../../../test/harness/import-bench.ts';
import { wav } from '../../../test/harness/wav.ts';
import { derivedId } from '../../common/ids.ts';

const DRUMS = wav(3 * 8_000);
const BASS = wav(2 * 8_000);
const keyOf = (bytes: Uint8Array) => `${createHash('sha256').update(bytes).digest('hex')}.wav`;
const ID = derivedId('track', 'stave', '1');

let bench: ImportBench;
beforeEach(async () => {
  bench = await openImportBench();
  await bench.write('drums.wav', DRUMS);
  await bench.write('stems/bass.wav', BASS);
  await bench.write('text.wav', 'no audio at all, although its name says so');
  await bench.write('empty.wav', '');
});
afterEach(() => bench.close());

/** What is stored of the parts of the track `1`; undefined if there is no such track. */
async function stored() {
  const found = await bench.store.catalog.trackParts(ID);
  return found?.parts;
}

/** Imports records from one file. */
async function run(records: readonly object[], options = {}) {
  return bench.run([await bench.write('a.ndjson', ndjson(...records))], options);
}

/** Imports the track `1` with these members, and returns the reasons with their fields. */
async function reasons(members: object): Promise<string[]> {
  const { rejections } = await run([record('1', members)]);
  return rejections.map(({ field, reason }) => `${field} ${reason}`);
}

const drums = { kind: 'drums', audio: 'drums.wav' };
const many = (count: number) => Array.from({ length: count }, () => drums);

describe('an import of stems and versions', () => {
  it('stores the audio with its length and size, and repeats without a change', async () => {
    const members = {
      stems: [
        { ...drums, name: '  Kit ' },
        { kind: 'bass', audio: 'stems/bass.wav', durationSeconds: '9.6' },
      ],
      versions: [{ kind: 'cutdown', name: '', audio: 'drums.wav' }],
    };
    expect((await run([record('1', members)])).summary).toEqual(counts(1));
    const kit = { durationSeconds: 3, audioKey: keyOf(DRUMS), sizeBytes: DRUMS.length };
    const bass = { durationSeconds: 10, audioKey: keyOf(BASS), sizeBytes: BASS.length };
    const expected = {
      stems: [
        { kind: 'drums', name: 'Kit', ...kit },
        { kind: 'bass', name: null, ...bass },
      ],
      versions: [{ kind: 'cutdown', name: null, ...kit }],
    };
    expect(await stored()).toMatchObject(expected);
    expect((await bench.mediaKeys()).sort()).toEqual([keyOf(DRUMS), keyOf(BASS)].sort());
    expect((await run([record('1', members)])).summary).toMatchObject({ unchanged: 1 });
    // A record without the members, as suppliers delivered it before, leaves them.
    expect((await run([record('1')])).summary).toMatchObject({ unchanged: 1 });
    expect((await run([record('1', { stems: null })])).summary).toMatchObject({ unchanged: 1 });
    expect((await run([record('1', { stems: [] })])).summary).toMatchObject({ updated: 1 });
    expect(await stored()).toMatchObject({ ...expected, stems: [] });
  });

  it('stores the length of the audio that it stored, if the file is replaced meanwhile', async () => {
    const putFile = bench.media.putFile.bind(bench.media);
    bench.media.putFile = async (path, extension) => {
      await bench.write('drums.wav', BASS);
      return putFile(path, extension);
    };
    expect(await reasons({ stems: [drums] })).toEqual([]);
    const expected = [{ audioKey: keyOf(BASS), sizeBytes: BASS.length }];
    expect(await stored()).toMatchObject({ stems: expected });
  });

  it('takes keys of the media store, with the length of their audio', async () => {
    const { key } = await bench.media.putFile(await bench.write('x.wav', BASS), 'wav');
    const stems = [{ kind: 'bass', audio: key }];
    expect((await run([record('1', { stems })])).rejections).toEqual([]);
    const expected = [{ durationSeconds: 2, audioKey: key, sizeBytes: BASS.length }];
    expect(await stored()).toMatchObject({ stems: expected });
    expect((await run([record('1', { stems })])).summary).toMatchObject({ unchanged: 1 });
  });

  it('reads JSON in the cells of a CSV file, and a list that a mapping makes', async () => {
    const cell = '"[{""kind"":""drums"",""audio"":""drums.wav""}]"';
    const csv = `externalId,name,type,stems,versions\n1,Song,music,${cell},[]\n`;
    const { rejections } = await bench.run([await bench.write('a.csv', csv)]);
    expect(rejections).toEqual([]);
    expect(await stored()).toMatchObject({ stems: [{ kind: 'drums' }], versions: [] });

    const mapping = {
      name: 'label',
      fields: {
        externalId: 'no',
        name: 'title',
        type: { constant: 'music' },
        stems: { from: 'parts', decode: 'json' },
      },
    };
    const path = await bench.write('mapping.json', JSON.stringify(mapping));
    await bench.write('b.csv', 'no,title,parts\n1,Song,[]\n');
    const mapped = await bench.run([`${bench.folder}/b.csv`], { mapFile: path, source: 'stave' });
    expect(mapped.rejections).toEqual([]);
    expect(await stored()).toMatchObject({ stems: [] });
  });

  it.each<[string, object, string]>([
    [
      'an unknown kind',
      { stems: [drums, { ...drums, kind: 'kazoo' }] },
      'stems[1].kind must be one of drums, percussion, bass, guitar, keys, synth, strings, brass, woodwind, vocals, backing_vocals, melody, harmony, fx, other; it is "kazoo"',
    ],
    [
      'the kind of a stem for a version',
      { versions: [drums] },
      'versions[0].kind must be one of instrumental, vocal, acapella, clean, alternate, cutdown, loop, sting; it is "drums"',
    ],
    ['no kind', { stems: [{ audio: 'drums.wav' }] }, 'stems[0].kind must be one of'],
    ['no audio', { stems: [drums, drums, drums, { kind: 'fx' }] }, 'stems[3].audio is missing'],
    ['a text', { stems: 'drums.wav' }, 'stems must be a list of'],
    ['an entry that is no object', { stems: [drums, 7] }, 'stems must be a list of'],
    [
      'a name that is a number',
      { versions: [{ kind: 'loop', audio: 'drums.wav', name: 7 }] },
      'versions must be a list of',
    ],
    [
      'a long name',
      { stems: [{ ...drums, name: 'x'.repeat(1_001) }] },
      'stems[0].name must have 1000 characters at most; it has 1001',
    ],
    [
      'a negative length',
      { stems: [{ ...drums, durationSeconds: -1 }] },
      'stems[0].durationSeconds must be a number of seconds, 0 or more; it is -1',
    ],
    [
      '65 parts of a list',
      { stems: many(65) },
      'stems must list 64 at most, stems and versions together; the track would have 65',
    ],
    [
      '65 parts of both lists',
      { stems: many(64), versions: [{ kind: 'loop', audio: 'drums.wav' }] },
      'stems must list 64 at most, stems and versions together; the track would have 65',
    ],
    [
      'a file without audio',
      { stems: [{ kind: 'fx', audio: 'text.wav' }] },
      'stems[0].audio the audio cannot be read',
    ],
    [
      'a file without audio whose length is given',
      { stems: [{ kind: 'fx', audio: 'text.wav', durationSeconds: 5 }] },
      'stems[0].audio the audio cannot be read',
    ],
    ['an empty file', { stems: [{ kind: 'fx', audio: 'empty.wav' }] }, 'stems[0].audio is empty'],
    [
      'a file of another kind',
      { stems: [{ kind: 'fx', audio: 'a.ndjson' }] },
      'stems[0].audio must be an audio file (',
    ],
    [
      'a file elsewhere',
      { versions: [{ kind: 'loop', audio: '../drums.wav' }] },
      'versions[0].audio must lie beneath the folder of the file that names it',
    ],
    [
      'a URL',
      { stems: [{ kind: 'fx', audio: 'https://example.com/a.wav' }] },
      'stems[0].audio must be a path or a key, not a URL: Stave fetches nothing',
    ],
  ])('rejects a record with %s, and stores nothing', async (_, members, reason) => {
    const [given, ...others] = await reasons(members);
    expect(given).toContain(reason);
    expect(others).toEqual([]);
    expect([await stored(), await bench.mediaKeys()]).toEqual([undefined, []]);
  });

  it('counts the parts that the other list has already', async () => {
    expect(await reasons({ stems: many(40) })).toEqual([]);
    const versions = Array.from({ length: 25 }, () => ({ kind: 'loop', audio: 'drums.wav' }));
    expect(await reasons({ versions })).toEqual([
      'versions must list 64 at most, stems and versions together; the track would have 65',
    ]);
    expect(await reasons({ versions: versions.slice(1) })).toEqual([]);
    expect((await stored())?.versions).toHaveLength(24);
    expect(await reasons({ stems: [], versions: [...versions, ...versions] })).toEqual([]);
  });

  it('counts the parts that another import has stored since the record was checked', async () => {
    const versions = Array.from({ length: 24 }, () => ({ kind: 'loop', audio: 'drums.wav' }));
    expect(await reasons({ stems: many(40) })).toEqual([]);
    const putFile = bench.media.putFile.bind(bench.media);
    bench.media.putFile = async (path, extension) => {
      // The other import has its turn while this one stores the audio.
      bench.media.putFile = putFile;
      const stems = Array.from({ length: 41 }, () => ({ kind: 'fx', audio: 'drums.wav' }));
      const other = await bench.write('b.ndjson', ndjson(record('1', { stems })));
      expect((await bench.run([other])).rejections).toEqual([]);
      return putFile(path, extension);
    };
    expect(await reasons({ versions })).toEqual([
      'versions must list 64 at most, stems and versions together; another import has given the track more parts meanwhile',
    ]);
    expect(await stored()).toMatchObject({ versions: [] });
    expect((await stored())?.stems).toHaveLength(41);
  });

  it('reports all problems of a record together', async () => {
    const [given] = await reasons({
      audio: 'none.wav',
      stems: [{ kind: 'fx', audio: '../drums.wav' }],
      versions: [{ kind: 'loop', audio: 'text.wav' }],
    });
    expect(given).toMatch(
      /^audio names .*; stems\[0\]\.audio must lie .*; versions\[0\]\.audio the audio/,
    );
  });

  it('stores nothing in a dry run', async () => {
    const { summary } = await run([record('1', { stems: [drums] })], { dryRun: true });
    expect(summary).toEqual(counts(1));
    expect([await stored(), await bench.mediaKeys()]).toEqual([undefined, []]);
  });
});
