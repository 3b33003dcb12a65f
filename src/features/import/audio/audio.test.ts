import { mkdir, mkdtemp, open, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_SHARED_DATA, SHARED_DATA } from '../../../../test/harness/import-bench.ts';
import { wav } from '../../../../test/harness/wav.ts';
import { flacLengthSeconds } from '../../../engines/audio/whole-file.ts';
import { AUDIO_EXTENSIONS } from '../../../engines/blobs/content-types.ts';
import { type AudioFile, filesBelow } from './folder.ts';
import { taggedRecord } from './folder-items.ts';
import type { AudioTags } from './read-tags.ts';
import { TagReader } from './tag-reader.ts';

let folder: string;
let reader: TagReader;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stave-audio-'));
  reader = new TagReader({ timeoutSeconds: 20 });
});
afterAll(async () => {
  await reader[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

describe('filesBelow', () => {
  it('yields only audio below the folder, always in the same order', async () => {
    const root = join(folder, 'walk');
    await mkdir(join(root, 'b'), { recursive: true });
    for (const name of [
      'b/2.MP3',
      'b/1.flac',
      'z.wav',
      'cover.jpg',
      'manifest.json',
      '.hidden.mp3',
    ]) {
      await writeFile(join(root, name), 'x');
    }
    await writeFile(join(folder, 'outside.mp3'), 'x');
    await writeFile(join(root, 'empty.ogg'), '');
    await symlink(join(folder, 'outside.mp3'), join(root, 'out.mp3'));
    await symlink(join(root, 'z.wav'), join(root, 'in.wav'));
    await symlink(join(folder, 'nowhere.mp3'), join(root, 'dead.mp3'));
    await symlink(root, join(root, 'loop'));
    const found: AudioFile[] = [];
    for await (const file of filesBelow(root, AUDIO_EXTENSIONS)) {
      found.push(file);
    }
    expect(found.map(({ relative, problem }) => [relative, problem])).toEqual([
      ['b/1.flac', null],
      ['b/2.MP3', null],
      ['dead.mp3', 'the file cannot be read (ENOENT)'],
      ['empty.ogg', 'the file is empty'],
      ['in.wav', null],
      ['out.mp3', 'a link that leads out of the folder'],
      ['z.wav', null],
    ]);
  });
});

describe('the tag reader', () => {
  it('reads a plain file', async () => {
    const path = join(folder, 'plain.wav');
    await writeFile(path, wav(24_000));
    expect(await reader.read(path)).toMatchObject({
      durationSeconds: 3,
      artists: [],
      title: undefined,
      ai: undefined,
    });
  });

  it.each([
    ['noise.mp3', Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7919) % 251))],
    ['text.flac', Buffer.from('this is no audio')],
    ['head.ogg', Buffer.from('OggS')],
    ['zeros.m4a', Buffer.alloc(4096)],
    ['cut.wav', wav().subarray(0, 20)],
  ])(
    'rejects a faulty file with a reason, or reads it without a duration: %s',
    async (name, bytes) => {
      const path = join(folder, name);
      await writeFile(path, bytes);
      const read = await reader.read(path).catch((error: Error) => error);
      if (read instanceof Error) {
        expect(read.message).toMatch(/^the audio cannot be read: \S/);
        expect(read.message).not.toContain('\n');
      } else {
        expect(read.durationSeconds).toBe(0);
      }
      await writeFile(join(folder, 'after.wav'), wav());
      expect((await reader.read(join(folder, 'after.wav'))).durationSeconds).toBe(1);
    },
  );

  it('ignores a header that claims a duration of hours for a second of audio', async () => {
    const bytes = wav();
    bytes.writeUInt32LE(1, 24);
    bytes.writeUInt32LE(1, 28);
    const path = join(folder, 'claims.wav');
    await writeFile(path, bytes);
    expect((await reader.read(path)).durationSeconds).toBe(0);
  });

  it('ends a read that takes too long, and reads the next file', async () => {
    await using hasty = new TagReader({ timeoutSeconds: 0.000_001 });
    const path = join(folder, 'plain.wav');
    await writeFile(path, wav(24_000));
    await expect(hasty.read(path)).rejects.toThrow('took longer than');
    await expect(hasty.read(path)).rejects.toThrow('took longer than');
  });

  it('rejects a file whose tags take too much memory, and reads the next file', async () => {
    const text = Buffer.alloc(30_000_000, 'ab\0');
    const size = (bytes: number) => [21, 14, 7, 0].map((shift) => (bytes >> shift) & 0x7f);
    const path = join(folder, 'tags.mp3');
    await writeFile(
      path,
      Buffer.concat([
        Buffer.from(['ID3', '\x04\0\0'].join(''), 'latin1'),
        Buffer.from(size(text.length + 11)),
        Buffer.from('TMCL'),
        Buffer.from([...size(text.length + 1), 0, 0, 3]),
        text,
      ]),
    );
    await expect(reader.read(path)).rejects.toThrow(
      'the audio cannot be read: its reader stopped, or took too much memory',
    );
    await writeFile(join(folder, 'next.wav'), wav());
    expect((await reader.read(join(folder, 'next.wav'))).durationSeconds).toBe(1);
  });

  it('reads nothing after it is closed, not even waiting files', async () => {
    const path = join(folder, 'waiting.wav');
    await writeFile(path, wav(24_000));
    const closed = new TagReader();
    const readings = Promise.allSettled(Array.from({ length: 6 }, () => closed.read(path)));
    await closed[Symbol.asyncDispose]();
    expect((await readings).map(({ status }) => status)).toEqual(Array(6).fill('rejected'));
  });
});

describe.skipIf(!HAS_SHARED_DATA)(
  'the tag reader on real audio (skipped without ../shared/data)',
  () => {
    const lengths: [string, number][] = [
      ...['mp3', 'aac', 'm4a', 'mp4', 'flac', 'ogg', 'opus', 'wav', 'aiff'].map(
        (extension): [string, number] => [`music/galway.${extension}`, 15.85],
      ),
      ['music/moonlight-sonata-adagio.mp3', 15.05],
      ['flac/faulty-05-wrong-total-number-of-samples.flac', 4.562],
      ['flac/subset-45-no-total-number-of-samples-set.flac', 7.009],
      ['flac/uncommon-02-increasing-number-of-channels.flac', 14.48],
    ];
    it.each(lengths)('returns for %s a duration of %d s', async (name, seconds) => {
      const { durationSeconds } = await reader.read(join(SHARED_DATA, 'audio', name));
      expect(Math.abs(durationSeconds - seconds)).toBeLessThan(0.05);
    });

    it('returns no duration for a FLAC file that ends with less than two frames', async () => {
      const path = join(folder, 'cut.flac');
      const whole = await readFile(join(SHARED_DATA, 'audio/music/galway.flac'));
      await writeFile(path, whole.subarray(-200));
      const file = await open(path);
      try {
        expect(await flacLengthSeconds(file, 200, 44_100)).toBeUndefined();
      } finally {
        await file.close();
      }
    });

    it('finds tags and pictures', async () => {
      const vibe = await reader.read(join(SHARED_DATA, 'audio/music/vibe-ace.ogg'));
      expect(vibe).toMatchObject({
        title: 'Vibe Ace',
        bpm: 130,
        genres: ['Jazz'],
        date: '2011-07-19',
      });
      expect(vibe.picture!.length).toBe(62_321);
    });
  },
);

describe('taggedRecord', () => {
  const nothing: AudioTags = {
    durationSeconds: 0,
    title: undefined,
    ai: undefined,
    artists: [],
    albumArtist: undefined,
    composers: [],
    lyricists: [],
    producers: [],
    remixers: [],
    genres: [],
    moods: [],
    bpm: undefined,
    key: undefined,
    date: undefined,
    isrcs: [],
    picture: undefined,
    effect: undefined,
  };
  const made = (tags: Partial<AudioTags>) =>
    taggedRecord({ ...nothing, ...tags }, { externalId: 'a/b.mp3', fileName: 'b' });

  it('uses the file name as the name if the title is missing', () => {
    expect(made({})).toMatchObject({
      externalId: 'a/b.mp3',
      type: 'music',
      name: 'b',
      artists: [],
      filters: [],
    });
    expect(made({ title: ' \0 ' }).name).toBe('b');
    expect(made({ title: 'BGM ' }).name).toBe('BGM');
  });

  it('makes the album artist primary if it is among the artists, or if there are no others', () => {
    const primary = (tags: Partial<AudioTags>) =>
      (made(tags).artists as { name: string; isPrimary: boolean }[])
        .filter((a) => a.isPrimary)
        .map((a) => a.name);
    expect(primary({ artists: ['A', 'B'], albumArtist: 'B' })).toEqual(['B']);
    expect(primary({ artists: ['A'], albumArtist: 'Various Artists' })).toEqual(['A']);
    expect(primary({ albumArtist: 'C' })).toEqual(['C']);
    expect(primary({ artists: ['Unknown Artist'] })).toEqual([]);
  });

  it('splits joined genres and omits placeholders', () => {
    expect(made({ genres: ['Rock; Pop', 'Unknown Genre'], moods: ['Calm'] }).filters).toEqual([
      { type: 'genre', name: 'Rock' },
      { type: 'genre', name: 'Pop' },
      { type: 'mood', name: 'Calm' },
    ]);
  });

  it.each([
    ['Am', ['A minor']],
    ['F#', ['F# major']],
    ['Bbm', ['Bb minor']],
    ['E♭ major', ['Eb major']],
    ['o', []],
    ['8A', ['8A']],
  ])('reads the key %s', (key, expected) => {
    expect(made({ key }).songKey).toEqual(expected);
  });

  it('ignores nonsensical tags', () => {
    const record = made({ bpm: 0, date: 'last summer', isrcs: ['no'] });
    expect([record.bpm, record.releaseDate, record.isrc]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(made({ date: '2012-13-45' }).releaseDate).toBe('2012');
    expect(made({ isrcs: ['bad', 'us-uan-11-00001'] }).isrc).toBe('USUAN1100001');
  });
});
