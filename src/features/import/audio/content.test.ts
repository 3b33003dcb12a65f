import { copyFile, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_SHARED_DATA, SHARED_DATA } from '../../../../test/harness/import-bench.ts';
import { wav } from '../../../../test/harness/wav.ts';
import { contentOf } from '../../../engines/audio/content.ts';
import { isShorter } from '../../../engines/audio/whole-file.ts';
import { readTags } from './read-tags.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stave-content-'));
});
afterAll(() => rm(folder, { recursive: true }));

const MUSIC = join(SHARED_DATA, 'audio/music');
const FAILING = join(SHARED_DATA, 'failing');

describe('the content of a file', () => {
  it.each([
    ['BM\x36\x10\0\0\0\0\0\0', 'a BMP image'],
    ['II*\0\x08\0\0\0', 'a TIFF image'],
    ['MM\0*\0\0\0\x08', 'a TIFF image'],
    ['%PDF-1.7', 'a PDF document'],
    ['PK\x03\x04', 'a ZIP archive'],
    ['MThd\0\0\0\x06', 'a MIDI file'],
    ['\n<!DOCTYPE html>', 'an HTML page'],
    ['\0\0\0\x18ftypheic', 'a HEIC image'],
    ['RIFF\0\0\0\0WAVEfmt ', 'a WAV file'],
  ])('is recognized by its first bytes: %j', (bytes, name) => {
    expect(contentOf(Buffer.from(bytes, 'latin1'))?.name).toBe(name);
  });

  it('is unknown for what only begins like audio', () => {
    expect(contentOf(Buffer.from('\xff\xfeh\0e\0l\0l\0o\0', 'latin1'))).toBe(undefined);
    // A frame of FLAC, which ADTS has the mark of.
    expect(contentOf(Buffer.alloc(9000, 'fff8c90800', 'hex'))).toBe(undefined);
    expect(contentOf(Buffer.alloc(0))).toBe(undefined);
  });

  it('decides against the extension', async () => {
    const renamed = join(folder, 'renamed.mp3');
    await writeFile(renamed, wav());
    expect((await readTags(renamed)).facts).toMatchObject({
      extension: 'wav',
      renamed: 'a WAV file',
    });
    const bare = join(folder, 'bare');
    await writeFile(bare, wav());
    expect((await readTags(bare)).facts.extension).toBe('wav');
    const page = join(folder, 'page.mp3');
    await writeFile(page, '<html><title>404</title></html>');
    await expect(readTags(page)).rejects.toThrow('page.mp3 is an HTML page');
  });

  it.skipIf(!HAS_SHARED_DATA)('decides for each form of audio', async () => {
    const forms = ['aac', 'aiff', 'flac', 'm4a', 'mp3', 'mp4', 'ogg', 'opus', 'wav'];
    for (const form of forms) {
      const path = join(folder, `galway-${form}.webm`);
      await copyFile(join(MUSIC, `galway.${form}`), path);
      const { facts, title } = await readTags(path);
      const usual = form === 'mp4' ? 'm4a' : form;
      expect(facts.extension, form).toBe(usual);
      expect(Math.abs(facts.durationSeconds - 15.84), form).toBeLessThan(0.05);
      if (!['aac'].includes(form)) expect(title, form).toBe('Galway');
    }
  });

  it.skipIf(!HAS_SHARED_DATA)('is named if it is no audio', async () => {
    await expect(readTags(join(FAILING, 'jpg_named.mp3'))).rejects.toThrow(
      'jpg_named.mp3 is a JPEG image',
    );
    await expect(readTags(join(FAILING, 'silent.mp4'))).rejects.toThrow('no audio was found');
  });

  it.skipIf(!HAS_SHARED_DATA)('tells which formats some browsers do not play', async () => {
    const format = async (name: string) =>
      (await readTags(join(SHARED_DATA, 'audio', name))).facts.rarelyPlayed;
    expect(await format('music/galway.mp3')).toBe(undefined);
    expect(await format('music/galway.mp4')).toBe(undefined);
    expect(await format('music/galway.flac')).toBe(undefined);
    expect(await format('music/galway.wav')).toBe(undefined);
    expect(await format('music/galway.m4a')).toBe('ALAC');
    expect(await format('music/galway.aiff')).toBe('AIFF');
    expect(await format('music/galway.ogg')).toBe('Vorbis');
    expect(await format('flac/subset-41-6-channels-5-1.flac')).toMatch(/many channels/);
  });
});

describe('the end of a file', () => {
  it('is missed in a WAV file, also if the length is unknown to its writer', async () => {
    const path = join(folder, 'short.wav');
    await writeFile(path, wav(4 * 8_000));
    expect((await readTags(path)).facts.isCutOff).toBe(false);
    await truncate(path, (await readFile(path)).length / 2);
    expect((await readTags(path)).facts).toMatchObject({ isCutOff: true });
    const streamed = wav(4 * 8_000);
    streamed.writeUInt32LE(0xffff_ffff, streamed.indexOf('data') + 4);
    await writeFile(path, streamed);
    expect((await readTags(path)).facts).toMatchObject({ isCutOff: false });
  });

  it.skipIf(!HAS_SHARED_DATA).each(['mp3', 'aiff', 'flac', 'ogg', 'opus', 'wav'])(
    'is missed in a file of %s, whose length is that of what is there',
    async (form) => {
      const path = join(folder, `cut.${form}`);
      const whole = await readFile(join(MUSIC, `galway.${form}`));
      await writeFile(path, whole);
      expect((await readTags(path)).facts.isCutOff).toBe(false);
      await writeFile(path, whole.subarray(0, whole.length * 0.6));
      const { facts } = await readTags(path);
      expect(facts.isCutOff).toBe(true);
      expect(facts.durationSeconds).toBeGreaterThan(7);
      expect(facts.durationSeconds).toBeLessThan(10);
    },
  );

  it.skipIf(!HAS_SHARED_DATA)('is missed in an MP4 file, with or without its index', async () => {
    const path = join(folder, 'cut.mp4');
    const whole = await readFile(join(MUSIC, 'galway.mp4'));
    await writeFile(path, whole.subarray(0, whole.length * 0.6));
    await expect(readTags(path)).rejects.toThrow('its end is missing');
    const data = whole.indexOf('mdat') - 4;
    const index = data + whole.readUInt32BE(data);
    const indexFirst = Buffer.concat([
      ...[whole.subarray(0, data), whole.subarray(index)],
      whole.subarray(data, data + (index - data) / 2),
    ]);
    await writeFile(path, indexFirst);
    const { facts, title } = await readTags(path);
    expect([facts.isCutOff, title]).toEqual([true, 'Galway']);
    expect(Math.abs(facts.durationSeconds - 15.84 / 2)).toBeLessThan(0.1);
  });

  it.skipIf(!HAS_SHARED_DATA).each([
    ['an ID3 tag', `TAG${'Galway'.padEnd(125, '\0')}`],
    ['line ends', '\r\n'.repeat(8)],
    ['text', 'Made by hand'],
  ])('is there in an MP4 file with %s after its last box', async (_, tail) => {
    for (const form of ['mp4', 'm4a']) {
      const path = join(folder, `tail.${form}`);
      const whole = await readFile(join(MUSIC, `galway.${form}`));
      await writeFile(path, Buffer.concat([whole, Buffer.from(tail, 'latin1')]));
      const { facts, title } = await readTags(path);
      expect([facts.isCutOff, title], form).toEqual([false, 'Galway']);
      expect(Math.abs(facts.durationSeconds - 15.84), form).toBeLessThan(0.05);
    }
  });

  it.skipIf(!HAS_SHARED_DATA)('is there in a large MP4 file with an ID3 tag', async () => {
    const path = join(folder, 'large.mp4');
    const whole = await readFile(join(MUSIC, 'galway.mp4'));
    const data = whole.indexOf('mdat') - 4;
    const free = Buffer.alloc(9 * 1024 * 1024);
    free.writeUInt32BE(free.length);
    free.write('free', 4);
    const tag = Buffer.from(`TAG${'\0'.repeat(125)}`);
    const parts = [whole.subarray(0, data), free, whole.subarray(data), tag];
    await writeFile(path, Buffer.concat(parts));
    const { facts, title } = await readTags(path);
    expect([facts.isCutOff, title]).toEqual([false, 'Galway']);
    expect(Math.abs(facts.durationSeconds - 15.84)).toBeLessThan(0.05);
  });

  it('is compared with a length by the greater of two seconds and two percent', () => {
    expect([isShorter(8, 10), isShorter(7.9, 10)]).toEqual([false, true]);
    expect([isShorter(295, 300), isShorter(293, 300)]).toEqual([false, true]);
    expect(isShorter(0, 300)).toBe(false);
    // A header of FLAC is exact.
    expect([isShorter(2.95, 3, 0.1), isShorter(1.5, 3, 0.1)]).toEqual([false, true]);
  });
});

describe('tags', () => {
  it.skipIf(!HAS_SHARED_DATA)('are read as their writers meant them', async () => {
    const tagged = async (name: string) => {
      const { title, artists, composers, tagEncoding } = await readTags(join(FAILING, name));
      return { title, artists, composers, tagEncoding };
    };
    expect(await tagged('acdc23.mp3')).toEqual({
      title: 'Thunder 23',
      artists: ['AC/DC'],
      composers: ['Angus Young', 'Malcolm Young'],
      tagEncoding: undefined,
    });
    expect(await tagged('cp1251.mp3')).toMatchObject({
      title: 'Катюша',
      artists: ['Михаил Исаковский'],
      tagEncoding: 'windows-1251',
    });
    expect(await tagged('sjis.mp3')).toMatchObject({
      title: '上を向いて歩こう',
      artists: ['坂本九'],
      tagEncoding: 'shift_jis',
    });
    expect(await tagged('flac_vc_id3.flac')).toMatchObject({ title: 'VC title' });
  });

  it.skipIf(!HAS_SHARED_DATA)('are read in the encoding that the operator names', async () => {
    const path = join(FAILING, 'cp1251.mp3');
    expect((await readTags(path, 'windows-1252')).title).toBe('Êàòþøà');
  });
});
