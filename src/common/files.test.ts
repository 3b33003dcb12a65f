import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRegularFile, replaceFile } from './files.ts';

let folder: string;
let path: string;
let inner: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stave-files-'));
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

async function contentOf(path: string, beneath?: string): Promise<string> {
  await using file = await openRegularFile(path, { beneath });
  return file.readFile('utf8');
}

describe('openRegularFile', () => {
  beforeEach(() => {
    inner = join(folder, 'inner');
    mkdirSync(join(inner, 'deep'), { recursive: true });
    writeFileSync(join(folder, 'outer.txt'), 'outer');
    writeFileSync(join(inner, 'a.txt'), 'inner');
  });

  it('opens a file, also through a link', async () => {
    symlinkSync(join(folder, 'outer.txt'), join(inner, 'link'));
    expect(await contentOf(join(inner, 'a.txt'))).toBe('inner');
    expect(await contentOf(join(inner, 'link'))).toBe('outer');
  });

  it.each<[string, (path: string) => unknown]>([
    ['a pipe that nobody writes to', (path) => execFileSync('mkfifo', [path])],
    ['a device', (path) => symlinkSync('/dev/zero', path)],
    ['a terminal', (path) => symlinkSync('/dev/ptmx', path)],
    ['a folder', (path) => mkdirSync(path)],
  ])('refuses %s at once', async (_, make) => {
    const path = join(folder, 'it');
    make(path);
    await expect(openRegularFile(path)).rejects.toThrow(`${path} is not a regular file`);
  });

  it('refuses a socket', async () => {
    const path = join(folder, 'it');
    const server = createServer().listen(path);
    try {
      await expect(openRegularFile(path)).rejects.toThrow(`${path} is not a regular file`);
    } finally {
      server.close();
    }
  });

  it('says in plain words why it cannot open a file', async () => {
    const name = 'the list';
    await expect(openRegularFile(join(folder, 'none'), { name })).rejects.toMatchObject({
      name: 'OperatorError',
      message: 'cannot read the list: no such file or folder',
      cause: { code: 'ENOENT' },
    });
    await expect(openRegularFile('a\0b', { name })).rejects.toThrow(
      'cannot read the list: a path cannot contain the character NUL',
    );
  });

  it('opens what lies in a folder, also by a link that stays there, and through a link to the folder', async () => {
    symlinkSync('../a.txt', join(inner, 'deep', 'link'));
    symlinkSync(inner, join(folder, 'linked'));
    expect(await contentOf(join(inner, 'a.txt'), inner)).toBe('inner');
    expect(await contentOf(join(inner, 'deep', 'link'), inner)).toBe('inner');
    expect(await contentOf(join(folder, 'linked', 'a.txt'), join(folder, 'linked'))).toBe('inner');
  });

  it.each<[string, (inner: string) => string]>([
    ['its path', () => '../outer.txt'],
    ['a link', (place) => linked(place, '../outer.txt', 'link')],
    ['a link to a folder', (place) => join(linked(place, '..', 'up'), 'outer.txt')],
    ['a folder whose name begins alike', (place) => alike(place)],
  ])('refuses what leaves the folder by %s', async (_, make) => {
    const path = join(inner, make(inner));
    await expect(openRegularFile(path, { beneath: inner })).rejects.toThrow(
      `${path} must lie beneath the folder ${inner}`,
    );
  });
});

function linked(place: string, target: string, name: string): string {
  symlinkSync(target, join(place, name));
  return name;
}

function alike(place: string): string {
  mkdirSync(`${place}-2`);
  writeFileSync(join(`${place}-2`, 'b.txt'), '');
  return '../inner-2/b.txt';
}
