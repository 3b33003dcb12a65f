import { createHash } from 'node:crypto';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { mp3, waveformMembers, waveformOf } from '../../../test/harness/clips.ts';
import {
  counts,
  type ImportBench,
  ndjson,
  openImportBench,
  record,
} from '../../../test/harness/import-bench.ts';
import { wav } from '../../../test/harness/wav.ts';
import { derivedId } from '../../common/ids.ts';
import { waveformDat } from '../renditions/rendition-files.ts';

const WAVEFORM = waveformOf(3);
const DAT = Buffer.from(waveformDat(WAVEFORM));
const NONE = { previewStart: null, previewKey: null, waveformKey: null };
const keyOf = (bytes: Uint8Array, extension: string) =>
  `${createHash('sha256').update(bytes).digest('hex')}.${extension}`;

let clip: Buffer;
beforeAll(async () => {
  clip = await mp3(2);
});

let bench: ImportBench;
beforeEach(async () => {
  bench = await openImportBench();
  await bench.write('song.wav', wav(3 * 8_000));
  await bench.write('clip.mp3', clip);
  await bench.write('w.dat', DAT);
  await bench.write('w.json', JSON.stringify(waveformMembers(WAVEFORM)));
});
afterEach(() => bench.close());

/** What is stored of the track `1` or of another one. */
async function stored(externalId = '1') {
  const id = derivedId('track', 'stave', externalId);
  const found = await bench.store.catalog.trackRecord(id);
  if (found === undefined) return undefined;
  const { previewStart, previewKey, waveformKey } = found;
  return { previewStart, previewKey, waveformKey };
}

/** Imports records from one file. */
async function run(records: readonly object[], options = {}) {
  return bench.run([await bench.write('a.ndjson', ndjson(...records))], options);
}

/** Imports the track `1` with these members, and returns the reasons with their fields. */
async function reasons(members: object): Promise<string[]> {
  const { rejections } = await run([record('1', { audio: 'song.wav', ...members })]);
  return rejections.map(({ field, reason }) => `${field} ${reason}`);
}

const WHOLE = {
  audio: 'song.wav',
  previewStartSeconds: 30,
  preview: 'clip.mp3',
  waveform: 'w.dat',
};

describe('an import of previews', () => {
  it('stores the start, the clip as it is and the waveform, and repeats without a change', async () => {
    expect((await run([record('1', WHOLE)])).summary).toEqual(counts(1));
    const expected = {
      previewStart: 30,
      previewKey: keyOf(clip, 'mp3'),
      waveformKey: keyOf(DAT, 'dat'),
    };
    expect(await stored()).toEqual(expected);
    expect(await bench.mediaKeys()).toEqual(
      expect.arrayContaining([expected.previewKey, expected.waveformKey]),
    );
    const head = await bench.store.changes.head();
    expect((await run([record('1', WHOLE)])).summary).toMatchObject({ unchanged: 1 });
    // A record without the members, as suppliers delivered it before, leaves them.
    expect((await run([record('1', { audio: 'song.wav' })])).summary).toMatchObject({
      unchanged: 1,
    });
    expect((await run([record('1', { audio: 'song.wav', preview: null })])).rejections).toEqual([]);
    expect(await stored()).toEqual(expected);
    expect(await bench.store.changes.head()).toBe(head);
  });

  it('stores the same waveform of JSON as of .dat', async () => {
    await run([record('1', { ...WHOLE, waveform: 'w.json' })]);
    expect((await stored())!.waveformKey).toBe(keyOf(DAT, 'dat'));
  });

  it('removes them by an empty text', async () => {
    await run([record('1', WHOLE)]);
    const none = { previewStartSeconds: '', preview: '', waveform: ' ' };
    expect((await run([record('1', none)])).summary).toMatchObject({ updated: 1 });
    expect(await stored()).toEqual(NONE);
    expect((await run([record('1', none)])).summary).toMatchObject({ unchanged: 1 });
  });

  it('reads them from CSV, where an empty cell leaves them, and from a mapping', async () => {
    const heading = 'externalId,name,type,audio,previewStartSeconds,preview,waveform\n';
    const path = await bench.write('a.csv', `${heading}1,N,music,song.wav,30,clip.mp3,w.json\n`);
    expect((await bench.run([path])).summary).toEqual(counts(1));
    const expected = await stored();
    expect(expected).toMatchObject({ previewStart: 30, waveformKey: keyOf(DAT, 'dat') });
    await bench.run([await bench.write('a.csv', `${heading}1,M,music,,,,\n`)]);
    expect(await stored()).toEqual(expected);
    const mapFile = await bench.write(
      'm.json',
      JSON.stringify({
        name: 'stave',
        fields: {
          externalId: 'No',
          name: 'T',
          type: { constant: 'music' },
          audio: { constant: 'song.wav' },
          previewStartSeconds: { from: 'From', unit: 'clock' },
          preview: 'Clip',
          waveform: 'Wave',
        },
      }),
    );
    const mapped = await bench.write('b.csv', 'No,T,From,Clip,Wave\n2,N,0:30,clip.mp3,w.dat\n');
    expect((await bench.run([mapped], { mapFile })).rejections).toEqual([]);
    expect(await stored('2')).toEqual(expected);
  });

  it('accepts keys of the media store', async () => {
    const [audio, preview, waveform, json] = await Promise.all([
      bench.media.putBytes(wav(3 * 8_000), 'wav'),
      bench.media.putBytes(clip, 'mp3'),
      bench.media.putBytes(DAT, 'dat'),
      bench.media.putBytes(Buffer.from(JSON.stringify(waveformMembers(WAVEFORM))), 'json'),
    ]);
    const keys = { audio: audio.key, preview: preview.key, waveform: waveform.key };
    expect((await run([record('1', keys)])).rejections).toEqual([]);
    expect(await stored()).toMatchObject({ previewKey: preview.key, waveformKey: waveform.key });
    await run([record('2', { ...keys, waveform: json.key })]);
    expect((await stored('2'))!.waveformKey).toBe(waveform.key);
    const text = await bench.media.putBytes(Buffer.from('text'), 'mp3');
    expect(await reasons({ preview: text.key })).toEqual([
      expect.stringMatching(/^preview must be an MP3 file/),
    ]);
  });

  it('compares a waveform with the audio of the record, otherwise with the stored one', async () => {
    await bench.write('long.dat', waveformDat(waveformOf(4.2)));
    const different =
      'waveform must be as long as the audio within 1 s and one pixel; it has 4.2 s, the audio 3.0 s';
    expect(await reasons({ waveform: 'long.dat' })).toEqual([different]);
    await bench.write('short.dat', waveformDat(waveformOf(1.9)));
    expect(await reasons({ waveform: 'short.dat' })).toHaveLength(1);
    await bench.write('near.dat', waveformDat(waveformOf(3.9)));
    expect(await reasons({ waveform: 'near.dat' })).toEqual([]);
    // The duration of the record is what the supplier says, and proves nothing.
    const lying = { audio: null, waveform: 'long.dat', durationSeconds: 4 };
    expect(await reasons(lying)).toEqual([different]);
    expect(await reasons({ audio: null, waveform: 'w.dat' })).toEqual([]);
    // The waveform is the stored one, and the audio is another one.
    await bench.write('other.wav', wav(6 * 8_000));
    expect(await reasons({ audio: 'other.wav', waveform: 'w.dat' })).toEqual([
      'waveform must be as long as the audio within 1 s and one pixel; it has 3.0 s, the audio 6.0 s',
    ]);
    // Two pixels of 4.1 s, of which the last one shows 1.2 s of audio.
    await bench.write('five.wav', wav(5.3 * 8_000));
    await bench.write('coarse.dat', waveformDat(waveformOf(5.3, { samplesPerPixel: 32_768 })));
    const coarse = { audio: 'five.wav', waveform: 'coarse.dat' };
    expect(await reasons(coarse)).toEqual([]);
    await bench.write('coarser.dat', waveformDat(waveformOf(8.3, { samplesPerPixel: 32_768 })));
    expect(await reasons({ ...coarse, waveform: 'coarser.dat' })).toHaveLength(1);
  });

  it('rejects a waveform without audio to compare it with', async () => {
    const { rejections } = await run([record('1', { waveform: 'w.dat' })]);
    expect(rejections.map(({ field, reason }) => `${field} ${reason}`)).toEqual([
      'waveform needs audio of the same length, and the track has none',
    ]);
    await run([record('1', { audio: 'song.wav' })]);
    const { audioKey } = (await bench.store.catalog.trackRecord(derivedId('track', 'stave', '1')))!;
    await bench.media.remove(audioKey!);
    expect(await reasons({ audio: null, waveform: 'w.dat' })).toEqual([
      'waveform needs the audio, which the media store has lost',
    ]);
  });

  it.each([-1, 86_401, 1.5, '1.5', 1e300, 'half', '0x10', true, [[30]]])(
    'rejects the start %j',
    async (previewStartSeconds) => {
      expect(await reasons({ previewStartSeconds })).toEqual([
        `previewStartSeconds must be a whole number between 0 and 86400; it is ${JSON.stringify(previewStartSeconds)}`,
      ]);
      expect(await stored()).toBeUndefined();
    },
  );

  it.each([
    [0, 0],
    ['86400', 86_400],
    ['-0', 0],
    ['30.0', 30],
  ])('reads the start %j', async (previewStartSeconds, expected) => {
    expect(await reasons({ previewStartSeconds })).toEqual([]);
    expect((await stored())!.previewStart).toBe(expected);
  });

  it('reports all problems of a record together, and stores none of its files', async () => {
    await bench.write('text.mp3', 'text');
    const { summary, rejections } = await run([
      record('1', { audio: 'none.wav', preview: 'text.mp3', waveform: 'song.wav' }),
      record('2'),
    ]);
    expect(summary).toEqual(counts(1, 1));
    expect(rejections[0]).toMatchObject({
      field: 'audio',
      reason:
        'names "none.wav", which does not exist; the nearest file is "song.wav"; ' +
        'preview must be an MP3 file; it is none; ' +
        'waveform must be audiowaveform data (dat, json)',
    });
    expect(await bench.mediaKeys()).toEqual([]);
  });

  it('never reads a file outside the folder, nor one that is too large', async () => {
    const outside = await bench.write('clip.mp3', clip);
    await bench.write('in/large.json', Buffer.alloc(8 * 1024 * 1024 + 1, '['));
    await symlink(outside, join(bench.folder, 'in', 'link.mp3'));
    const path = await bench.write(
      'in/a.ndjson',
      ndjson(
        record('1', { preview: '../clip.mp3', waveform: '../w.dat' }),
        record('2', { preview: 'link.mp3', waveform: 'large.json' }),
        record('3', { preview: 'https://example.org/a.mp3', waveform: 'none.dat' }),
      ),
    );
    const beneath = 'must lie beneath the folder of the file that names it';
    const { rejections, notes } = await bench.run([path]);
    expect(rejections.map(({ reason }) => reason)).toEqual([
      `${beneath}; waveform ${beneath}`,
      `${beneath}; waveform must be 8 MiB at most`,
      'must be a path or a key, not a URL: Stave fetches nothing',
    ]);
    expect(notes).toEqual([expect.stringContaining('waveform names "none.dat", which does not')]);
  });

  it('stores nothing in a dry run, and nothing of a strict import with a faulty file', async () => {
    await bench.write('bad.dat', DAT.subarray(0, -1));
    const records = [record('1', WHOLE), record('2', { ...WHOLE, waveform: 'bad.dat' })];
    const dry = await run(records, { dryRun: true });
    expect(dry.summary).toEqual(counts(1, 1));
    expect((await run(records, { strict: true })).summary).toMatchObject({
      created: 0,
      rejected: 2,
    });
    expect([await stored(), await bench.mediaKeys()]).toEqual([undefined, []]);
    expect((await run(records)).summary).toEqual(counts(1, 1));
    expect((await run([record('1', WHOLE)], { dryRun: true })).summary).toMatchObject({
      unchanged: 1,
    });
    const changed = await run([record('1', { previewStartSeconds: 0 })], { dryRun: true });
    expect(changed.summary).toMatchObject({ updated: 1 });
  });

  it('has what an undo restores', async () => {
    await run([record('1', WHOLE)]);
    const before = await stored();
    await bench.write('other.mp3', await mp3(1));
    let batchId = '';
    await run([record('1', { previewStartSeconds: '', preview: 'other.mp3', waveform: '' })], {
      onBatch: (id: string) => {
        batchId = id;
      },
    });
    expect(await stored()).toMatchObject({ previewStart: null, waveformKey: null });
    await bench.store.batches.undo(batchId, { by: 'cli:me' });
    expect(await stored()).toEqual(before);
    expect((await run([record('1', WHOLE)])).summary).toMatchObject({ unchanged: 1 });
  });
});
