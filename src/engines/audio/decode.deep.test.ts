import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FFMPEG, makeByFfmpeg } from '../../../test/harness/ffmpeg.ts';
import {
  audioFolder,
  decodeAll,
  tone,
  wavFile,
} from '../../features/renditions/audio-files.test-support.ts';
import { findFfmpeg } from './find-ffmpeg.ts';

const folder = audioFolder();
const wav = folder.write(
  'tone.wav',
  wavFile([tone(2, 48_000), tone(2, 48_000, () => 0.1)], { sampleRate: 48_000 }),
);

describe.skipIf(FFMPEG === undefined)('formats made by ffmpeg (skipped without ffmpeg)', () => {
  const without = (path: string) => decodeAll(path);
  const within = async (path: string, seconds: number) => {
    const { channels, sampleRate } = await decodeAll(path, FFMPEG);
    expect(channels).toHaveLength(2);
    expect(Math.abs(channels[0]!.length / sampleRate - 2)).toBeLessThanOrEqual(seconds);
    const rms = channels.map((samples) => Math.hypot(...samples.subarray(20_000, 60_000)) / 200);
    expect(rms[0]).toBeCloseTo(0.5 / Math.SQRT2, 1);
    expect(rms[1]).toBeCloseTo(0.1 / Math.SQRT2, 1);
  };

  it.each(['libvorbis', 'libopus'])('refuses streams of %s one after the other', async (codec) => {
    const path = join(folder.path, `one-${codec}.ogg`);
    makeByFfmpeg('-i', wav, '-c:a', codec, path);
    const bytes = readFileSync(path);
    const chained = folder.write(`chained-${codec}.ogg`, Buffer.concat([bytes, bytes]));
    await expect(without(chained)).rejects.toMatchObject({
      name: 'RenditionProblem',
      message: 'the Ogg file has several streams, one after the other',
    });
  });

  it.each([
    ['a.aac', ['-c:a', 'aac'], 0.1],
    ['a.m4a', ['-c:a', 'aac'], 0.1],
    ['alac.m4a', ['-c:a', 'alac'], 0],
    ['a.webm', ['-c:a', 'libopus'], 0.1],
  ] as const)('%s is decoded by ffmpeg only', async (name, options, seconds) => {
    const path = join(folder.path, name);
    makeByFfmpeg('-i', wav, ...options, path);
    await within(path, seconds);
    await expect(without(path)).rejects.toMatchObject({
      name: 'RenditionProblem',
      message: 'ffmpeg is needed to decode the file',
      kind: 'format',
    });
    await expect(decodeAll(path, join(folder.path, 'missing'))).rejects.toMatchObject({
      message: 'ffmpeg cannot be started',
      kind: 'format',
    });
  });

  it.each([
    ['a.oga', ['-c:a', 'flac']],
    ['vorbis.ogg', ['-c:a', 'libvorbis']],
    ['a.opus', ['-c:a', 'libopus']],
    ['a.aiff', []],
    ['a.flac', []],
    ['a.mp2', ['-b:a', '192k']],
    ['a.mp3', ['-b:a', '192k']],
  ])('%s is decoded without ffmpeg', async (name, options) => {
    const path = join(folder.path, name);
    makeByFfmpeg('-i', wav, ...options, path);
    const { channels, sampleRate } = await without(path);
    expect(channels).toHaveLength(2);
    expect(Math.abs(channels[0]!.length / sampleRate - 2)).toBeLessThan(0.06);
  });

  it('applies the output gain of Opus', async () => {
    const path = join(folder.path, 'quiet.opus');
    makeByFfmpeg('-i', wav, '-c:a', 'libopus', path);
    const loud = await without(path);
    const bytes = Buffer.from(
      await import('node:fs').then(({ readFileSync }) => readFileSync(path)),
    );
    bytes.writeInt16LE(-6 * 256, bytes.indexOf('OpusHead') + 16);
    const quiet = await without(folder.write('quiet.opus', bytes));
    expect(quiet.channels[0]![50_000]! / loud.channels[0]![50_000]!).toBeCloseTo(
      10 ** (-6 / 20),
      5,
    );
  });

  it.each([
    ['long.opus', 'libopus'],
    ['long.ogg', 'libvorbis'],
  ])('decodes only the whole pages of %s if it is truncated', async (name, codec) => {
    const path = join(folder.path, name);
    makeByFfmpeg('-stream_loop', '4', '-i', wav, '-c:a', codec, path);
    const bytes = readFileSync(path);
    const whole = await without(path);
    const lastPage = bytes.lastIndexOf('OggS');
    const pages = await without(folder.write(name, bytes.subarray(0, lastPage)));
    expect(pages.channels[0]!.length).toBeLessThan(whole.channels[0]!.length);
    for (const end of [lastPage + 5, lastPage + 30, Math.floor((lastPage + bytes.length) / 2)]) {
      const truncated = await without(folder.write(name, bytes.subarray(0, end)));
      expect(truncated.channels[0]).toHaveLength(pages.channels[0]!.length);
    }
  });

  it.each([
    // The version of Vorbis, on which the parser fails, and the number of streams in Opus.
    ['damaged.ogg', 'libvorbis', '\x01vorbis', 7],
    ['damaged.opus', 'libopus', 'OpusHead', 8],
  ])('gives a reason for %s, on which a decoder fails', async (name, codec, header, offset) => {
    const path = join(folder.path, name);
    makeByFfmpeg('-i', wav, '-c:a', codec, path);
    const bytes = readFileSync(path);
    bytes[bytes.indexOf(header) + offset] = 0xff;
    await expect(without(folder.write(name, bytes))).rejects.toMatchObject({
      name: 'RenditionProblem',
      message: expect.stringMatching(/^the audio is damaged: its decoder failed \(.+\)$/),
    });
  });

  it('does not follow a playlist that names other files', async () => {
    const playlist = `ffconcat version 1.0\nfile '${wav}'\n`;
    for (const name of ['list.m4a', 'list.webm', 'list.aac', 'list.mp3']) {
      await expect(decodeAll(folder.write(name, Buffer.from(playlist)), FFMPEG)).rejects.toThrow(
        /format of the file is unknown|no MPEG audio/,
      );
    }
    const disguised = Buffer.concat([
      Buffer.from('\0\0\0\x08ftyp', 'latin1'),
      Buffer.from(playlist),
    ]);
    await expect(decodeAll(folder.write('list.m4a', disguised), FFMPEG)).rejects.toThrow(
      'ffmpeg cannot decode the file',
    );
  });

  it('gives a reason on one line, without the path', async () => {
    const broken = Buffer.concat([
      Buffer.from('\0\0\0\x18ftypM4A ', 'latin1'),
      Buffer.alloc(5000, 7),
    ]);
    const error = await decodeAll(folder.write('broken.m4a', broken), FFMPEG).catch((e) => e);
    expect(error.message).toMatch(/^ffmpeg cannot decode the file: the file: [^\n]+$/);
    expect(error.message).not.toContain(folder.path);
  });
});

describe('decode', () => {
  it.each([
    ['empty.mp3', Buffer.alloc(0), 'the file has no MPEG audio'],
    ['empty.wav', Buffer.alloc(0), 'the format of the file is unknown'],
    ['text.wav', Buffer.from('<html>'), 'the format of the file is unknown'],
    ['short.flac', Buffer.from('fLaC'), 'the file has no audio that can be decoded'],
    ['other.ogg', Buffer.from('OggS and no stream'), 'has no Vorbis, Opus or FLAC audio'],
    ['vorbis.ogg', Buffer.from('OggS\x01vorbis'), 'the file has no audio that can be decoded'],
    ['opus.opus', Buffer.from('OggSOpusHead'), 'the file has no audio that can be decoded'],
  ])('gives a reason for %s', async (name, bytes, reason) => {
    await expect(decodeAll(folder.write(name, bytes))).rejects.toThrow(reason);
  });
});

describe('findFfmpeg', () => {
  it('takes the path of the setting, and none if it is off', async () => {
    expect(await findFfmpeg('/opt/ffmpeg', '/bin')).toBe('/opt/ffmpeg');
    expect(await findFfmpeg('off', folder.path)).toBeUndefined();
  });

  it('looks for a program in the search path without the setting', async () => {
    const bin = join(folder.path, 'bin');
    mkdirSync(bin);
    const search = `:/nowhere:${bin}`;
    writeFileSync(join(bin, 'ffmpeg'), '', { mode: 0o644 });
    expect(await findFfmpeg(null, '')).toBeUndefined();
    expect(await findFfmpeg(null, search)).toBeUndefined();
    chmodSync(join(bin, 'ffmpeg'), 0o755);
    expect(await findFfmpeg(null, search)).toBe(join(bin, 'ffmpeg'));
    expect(await findFfmpeg(null, '/nowhere')).toBeUndefined();
  });
});
