import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mp3, waveformMembers, waveformOf } from '../../../../test/harness/clips.ts';
import { wav } from '../../../../test/harness/wav.ts';
import { TagReader } from './tag-reader.ts';

let folder: string;
let reader: TagReader;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stave-clips-'));
  reader = new TagReader();
});
afterAll(async () => {
  await reader[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

/** Reads the bytes as a clip. Returns its length, or why it is rejected. */
async function read(bytes: Uint8Array): Promise<number | string> {
  const path = join(folder, 'clip.mp3');
  await writeFile(path, bytes);
  return reader.read(path, 'clip').catch((error: Error) => error.message);
}

/** An ID3v2 tag of so many bytes after its header. */
function id3(size: number): Buffer {
  const head = Buffer.from('ID3\x04\0\0', 'latin1');
  const digits = [21, 14, 7, 0].map((shift) => (size >> shift) & 0x7f);
  return Buffer.concat([head, Buffer.from(digits), Buffer.alloc(size)]);
}

describe('a preview clip', () => {
  it('may have 60 s, and what the encoder adds', async () => {
    for (const seconds of [0.5, 30, 60]) {
      const length = await read(await mp3(seconds));
      expect(length).toBeGreaterThanOrEqual(seconds);
      expect(length).toBeLessThan(seconds + 0.1);
    }
    expect(await read(await mp3(60.2))).toBe('must be 60 s long at most; it is longer');
    expect(await read(await mp3(180))).toBe('must be 60 s long at most; it is longer');
  });

  it('is measured by its frames, whatever its tags say', async () => {
    const clip = await mp3(2);
    const length = await read(clip);
    expect(
      await read(Buffer.concat([id3(3_000), clip, Buffer.from(`TAG${'\0'.repeat(125)}`)])),
    ).toBe(length);
  });

  it.each<[string, (clip: Buffer) => Buffer]>([
    ['a WAV file', () => wav()],
    ['text', () => Buffer.from('this is no audio at all '.repeat(100))],
    ['zeros', () => Buffer.alloc(100_000)],
    ['set bits', () => Buffer.alloc(100_000, 0xff)],
    ['a tag', () => id3(1_000)],
    ['a tag that claims more than the file', () => id3(1_000).subarray(0, 500)],
    ['one header', (clip) => clip.subarray(0, 4)],
    ['frames of layer II', () => layer2()],
    ['a JSON file', () => Buffer.from(JSON.stringify(waveformMembers(waveformOf(1))))],
  ])('is not %s', async (_, make) => {
    expect(await read(make(await mp3(1)))).toMatch(/^must be an MP3 file/);
  });
});

/** Silent frames of layer II: 44.1 kHz, mono, 128 kbit/s. */
function layer2(): Buffer {
  const frame = Buffer.alloc(417);
  frame.writeUInt32BE(0xfffd_80c0);
  return Buffer.concat(Array(20).fill(frame));
}
