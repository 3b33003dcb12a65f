import { copyFile, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  counts,
  HAS_SHARED_DATA,
  type ImportBench,
  ndjson,
  openImportBench,
  PNG,
  record,
  SHARED_DATA,
} from '../../../test/harness/import-bench.ts';
import { wav } from '../../../test/harness/wav.ts';
import type { ImportOptions } from './options.ts';

let bench: ImportBench;
beforeEach(async () => {
  bench = await openImportBench();
});
afterEach(() => bench.close());

const FAILING = join(SHARED_DATA, 'failing');

/** Imports records, and returns the notes without the path of the file. */
async function run(records: readonly object[], options?: Partial<ImportOptions>) {
  const path = await bench.write('a.ndjson', ndjson(...records));
  const { summary, rejections, notes } = await bench.run([path], options);
  return {
    summary,
    reasons: rejections.map(({ field, reason }) => `${field} ${reason}`),
    notes: notes.map((note) => note.replace(path, 'a')),
  };
}

async function stored(name = 'Track 1') {
  const track = (await bench.tracks()).find((one) => one.name === name);
  return bench.store.catalog.trackRecord(String(track?.id));
}

const partsOf = async () => {
  const parts = await bench.store.catalog.trackParts((await stored())!.track.id);
  return parts!.parts.stems.map(({ id, name }) => `${name} ${id}`);
};

describe('a file that is missing', () => {
  it('rejects a track without audio, and leaves stored audio and its length', async () => {
    const one = record('1', { audio: 'one.wav' });
    expect(await run([one])).toMatchObject({
      summary: counts(0, 1),
      reasons: ['audio names "one.wav", which does not exist'],
      notes: [],
    });
    await bench.write('One.wav', wav(3 * 8_000));
    expect((await run([one])).summary).toEqual(counts(1));
    const { audioKey } = (await stored())!;
    await rm(join(bench.folder, 'One.wav'));
    expect(await run([{ ...one, tags: ['rain'] }])).toMatchObject({
      summary: { updated: 1, rejected: 0 },
      notes: ['a:1: audio names "one.wav", which does not exist; what is stored stays'],
    });
    expect(await stored()).toMatchObject({
      audioKey,
      track: { durationSeconds: 3, tags: ['rain'] },
    });
    expect((await run([one], { strictFiles: true })).reasons).toEqual([
      'audio names "one.wav", which does not exist',
    ]);
  });

  it('leaves stored artwork, clips and waveforms, or none', async () => {
    const files = { artwork: 'a.png', preview: 'a.mp3', waveform: 'a.dat' };
    const one = record('1', files);
    const { summary, notes } = await run([one]);
    expect(summary).toEqual(counts(1));
    expect(notes.map((note) => note.split('"')[0])).toEqual([
      'a:1: artwork names ',
      'a:1: preview names ',
      'a:1: waveform names ',
    ]);
    await bench.write('a.png', PNG);
    await run([one]);
    const { artworkKey } = (await stored())!;
    expect(artworkKey).not.toBe(null);
    const { id } = (await stored())!.track;
    const coverBytes = async () => (await bench.store.catalog.trackAudio(id))!.coverBytes;
    expect(await coverBytes()).toBe(PNG.length);
    await rm(join(bench.folder, 'a.png'));
    expect((await run([one])).summary).toMatchObject({ unchanged: 1 });
    expect((await stored())!.artworkKey).toBe(artworkKey);
    expect(await coverBytes()).toBe(PNG.length);
    expect((await run([one], { strictFiles: true })).reasons[0]).toMatch(
      /^artwork names .*; preview names .*; waveform names /,
    );
  });

  it('leaves stored parts, and the places of the parts after it', async () => {
    const stem = (name: string) => ({ kind: 'drums', name, audio: `${name}.wav` });
    const one = record('1', { stems: ['a', 'b', 'c'].map(stem) });
    await bench.write('a.wav', wav(1000));
    await bench.write('c.wav', wav(3000));
    expect(await run([one])).toMatchObject({
      summary: counts(1),
      notes: [
        'a:1: stems[1].audio names "b.wav", which does not exist; the nearest file is "a.wav"; what is stored stays',
      ],
    });
    const [a, c] = await partsOf();
    expect((await run([one])).summary).toMatchObject({ unchanged: 1 });
    await bench.write('b.wav', wav(2000));
    expect((await run([one])).summary).toMatchObject({ updated: 1 });
    const all = await partsOf();
    expect([all[0], all[2]]).toEqual([a, c]);
    await rm(join(bench.folder, 'b.wav'));
    expect((await run([one])).summary).toMatchObject({ unchanged: 1 });
    expect(await partsOf()).toEqual(all);
    expect((await run([one], { strictFiles: true })).reasons[0]).toContain('stems[1].audio names');
  });

  it('is noted twenty times, and then counted', async () => {
    const many = Array.from({ length: 25 }, (_, i) => record(`${i}`, { artwork: `${i}.png` }));
    const { notes } = await run(many);
    expect(notes).toHaveLength(21);
    expect(notes[1]).toMatch(/^a:2: /);
    expect(notes[20]).toBe('… and 5 more files that do not exist');
  });

  it('is noted once by a strict import, whether it imports or not', async () => {
    const one = record('1', { artwork: 'none.png' });
    expect((await run([one], { strict: true })).notes).toHaveLength(1);
    const { notes, summary } = await run([one, record('2', { name: '' })], { strict: true });
    expect([notes.length, summary.rejected]).toEqual([2, 2]);
  });
});

describe('the content of files', () => {
  it('counts against the extension, with a note', async () => {
    await bench.write('song.mp3', wav());
    await bench.write('stem', wav());
    const stems = [{ kind: 'fx', audio: 'stem' }];
    const { notes } = await run([record('1', { audio: 'song.mp3', stems })]);
    expect(notes).toEqual([
      'a:1: audio "song.mp3" is a WAV file, and taken for it',
      'a:1: stems[0].audio "stem" is a WAV file, and taken for it',
    ]);
    expect((await stored())!.audioKey).toMatch(/\.wav$/);
  });

  it('is compared with the length that the record says', async () => {
    await bench.write('song.wav', wav(3 * 8_000));
    await bench.write('none.wav', wav(0));
    await bench.write('cut.wav', wav(2 * 8_000).subarray(0, 16_000));
    const long = record('1', { audio: 'song.wav', durationSeconds: 6 });
    const right = record('2', { audio: 'song.wav', durationSeconds: 5 });
    const none = record('3', { audio: 'none.wav' });
    const cut = record('4', { audio: 'cut.wav' });
    expect((await run([long, right, none, cut])).notes.slice(0, 3)).toEqual([
      'a:1: audio "song.wav" has 3.0 s, and the record says 6 s',
      'a:3: audio "none.wav" has a length of 0, or an unknown one',
      'a:4: audio "cut.wav" is cut off: its end is missing',
    ]);
    expect((await stored())!.track.durationSeconds).toBe(6);
  });

  it('is no picture that Stave serves: a BMP or TIFF is left out', async () => {
    await bench.write('a.jpg', Buffer.from('BM\x36\x10\0\0\0\0\0\0', 'latin1'));
    await bench.write('b.tif', Buffer.from('II*\0\x08\0\0\0', 'latin1'));
    const both = [record('1', { artwork: 'a.jpg' }), record('2', { artwork: 'b.tif' })];
    expect(await run(both)).toMatchObject({
      summary: counts(2),
      notes: [
        'a:1: artwork "a.jpg" is a BMP image, which Stave does not serve, and is left out',
        'a:2: artwork "b.tif" is a TIFF image, which Stave does not serve, and is left out',
      ],
    });
  });
});

describe('a folder', () => {
  it('has a note on files that are passed over, and on audio that another track has', async () => {
    await bench.write('in/a.wav', wav());
    await bench.write('in/a.txt', 'lyrics');
    await bench.write('in/b.WMA', 'x');
    await bench.write('in/c.wma', 'x');
    const folder = join(bench.folder, 'in');
    const { notes } = await bench.run([folder]);
    expect(notes).toEqual(['passed over 3 other files, by extension: wma 2, txt 1']);
    await bench.write('in/new/a.wav', wav());
    await rm(join(folder, 'a.wav'));
    const moved = await bench.run([folder]);
    expect(moved.notes[0]).toBe(
      `${folder}/new/a.wav: has the same audio as the track a, and is another one`,
    );
    expect((await bench.run([folder])).notes).toHaveLength(1);
  });

  it.skipIf(!HAS_SHARED_DATA)(
    'is read by content, with notes on encodings and formats',
    async () => {
      const folder = join(bench.folder, 'in');
      await bench.write(
        'in/galway.mp3',
        await readFile(join(SHARED_DATA, 'audio/music/galway.ogg')),
      );
      for (const name of ['cp1251.mp3', 'sjis.mp3', 'jpg_named.mp3', 'silent.mp4', 'acdc23.mp3']) {
        await copyFile(join(FAILING, name), join(folder, name));
      }
      const { notes, rejections, summary } = await bench.run([folder]);
      expect(summary).toEqual(counts(4, 2));
      expect(rejections.map(({ reason }) => reason)).toEqual([
        'jpg_named.mp3 is a JPEG image, which is no audio that Stave serves',
        'the audio cannot be read: no audio was found in it',
      ]);
      expect(notes).toEqual([
        `${folder}/cp1251.mp3: its tags, which say Latin-1, were read as windows-1251: "Катюша" (--tag-encoding)`,
        `${folder}/sjis.mp3: its tags, which say Latin-1, were read as shift_jis: "上を向いて歩こう" (--tag-encoding)`,
        `${folder}/galway.mp3: audio "galway.mp3" is an Ogg file, and taken for it`,
        '1 audio file is in a format that some browsers do not play: Vorbis 1',
      ]);
      const names = (await bench.tracks()).map(({ name }) => name);
      expect(names).toEqual(['Galway', 'Thunder 23', '上を向いて歩こう', 'Катюша'].sort());
      const named = await bench.run([folder], { tagEncoding: 'koi8-r' });
      expect(named.summary).toMatchObject({ updated: 2 });
    },
  );
});
