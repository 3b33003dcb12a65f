import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FFMPEG, makeByFfmpeg } from '../../../../test/harness/ffmpeg.ts';
import { audioFolder } from '../../../features/renditions/audio-files.test-support.ts';
import { deliveredTexts } from './delivered-texts.ts';
import { inMemory, TAGS, tagged } from './tagged-file.test-support.ts';

const folder = audioFolder();
const codec = (name: string) => ['-c:a', name];

describe.runIf(FFMPEG)('the texts of a delivered file', () => {
  const make = async (name: string, ...options: string[]) => {
    const path = join(folder.path, name);
    makeByFfmpeg('-f', 'lavfi', '-i', 'sine=440:duration=0.3', ...options, path);
    return readFile(path);
  };

  it.each([
    ['a.mp3', ['-id3v2_version', '3']],
    ['b.mp3', ['-id3v2_version', '4']],
    ['a.flac', []],
    ['a.ogg', codec('libvorbis')],
    ['a.opus', codec('libopus')],
    ['a.m4a', codec('aac')],
    ['b.m4a', codec('alac')],
    ['a.wav', []],
    ['b.wav', ['-write_id3v2', '1']],
    ['a.aiff', ['-write_id3v2', '1']],
  ])('are read from %s, as ffmpeg and as Stave write them', async (name, options) => {
    const extension = extname(name).slice(1);
    const read = (bytes: Buffer) => deliveredTexts(inMemory(bytes), extension);
    const texts = { album: 'Crossings 夜', copyright: '2026 Ä' };
    const metadata = Object.entries(texts).flatMap((pair) => ['-metadata', pair.join('=')]);
    const made = await make(name, ...options, ...metadata);
    expect(await read(made)).toEqual(texts);
    const plain = await make(`plain-${name}`, ...options);
    expect(await read(plain)).toEqual({});
    const { album, copyright } = TAGS;
    expect(await read(await tagged(plain, extension))).toEqual({ album, copyright });
    // What was delivered stays.
    const others = { ...TAGS, album: undefined, copyright: undefined };
    expect(await read(await tagged(made, extension, others))).toMatchObject(texts);
    expect(await read(made.subarray(0, 20))).toEqual({});
  });
});
