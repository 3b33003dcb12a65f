import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { wav } from '../../../test/harness/wav.ts';
import { decode } from './decode.ts';

const path = join(tmpdir(), `stave-bounds-${process.pid}.wav`);
afterAll(() => rm(path, { force: true }));

async function secondsOf(bytes: Buffer, minutes: number): Promise<number> {
  await writeFile(path, bytes);
  let samples = 0;
  for await (const { channels } of decode(path, undefined, { minutes, memoryMb: 160 })) {
    samples += channels[0]!.length;
  }
  return samples / 8_000;
}

it('decodes audio up to a length, and says which one if it is longer', async () => {
  expect(await secondsOf(wav(8_000 * 600), 10)).toBe(600);
  await expect(secondsOf(wav(8_000 * 601), 10)).rejects.toThrow(
    'the audio is longer than 10 minutes',
  );
});
