import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { replaceFile } from './replace-file.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stave-replace-'));
  path = join(folder, 'file');
});
afterEach(() => rm(folder, { recursive: true }));

it('replaces a file by all that is appended, across syncs', async () => {
  await writeFile(path, 'old');
  const bytes = Buffer.alloc(9 * 1024 * 1024);
  for (let i = 0; i < bytes.length; i += 4) bytes.writeUInt32LE(i, i);
  const size = await replaceFile(path, async (file) => {
    for (const part of [bytes.subarray(0, 3), bytes.subarray(3, 3), bytes.subarray(3)]) {
      await file.append(part);
    }
    expect(await readFile(path, 'utf8')).toBe('old');
    return bytes.length;
  });
  expect(size).toBe(bytes.length);
  expect(bytes.equals(await readFile(path))).toBe(true);
  expect(await readdir(folder)).toEqual(['file']);
});

it('keeps the old file, and removes the incomplete one, after a failure', async () => {
  await writeFile(path, 'old');
  const failing = replaceFile(path, async (file) => {
    await file.append(Buffer.from('new'));
    throw new Error('no more data');
  });
  await expect(failing).rejects.toThrow('no more data');
  expect(await readFile(path, 'utf8')).toBe('old');
  expect(await readdir(folder)).toEqual(['file']);
});
