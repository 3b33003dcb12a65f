import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../../test/harness/until.ts';
import { type ArchiveEntry, zipArchive } from './zip-archive.ts';

const run = promisify(execFile);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stave-zip-'));
});
afterEach(() => rm(folder, { recursive: true }));

const bytesOf = (number: number) => Buffer.alloc(1_000 * (number + 1), `part ${number} `);
const entryOf = (number: number) => ({
  path: `song/stems/${String(number + 1).padStart(2, '0')}-drums.wav`,
  sizeBytes: bytesOf(number).length,
  number,
});
const openBytes = async ({ number }: { number: number }) => Readable.from([bytesOf(number)]);

/** Returns the paths and sizes that `unzip` finds in an archive that it has tested. */
async function unzipped(path: string): Promise<string[]> {
  const { stdout: tested } = await run('unzip', ['-t', path], { maxBuffer: 1e8 });
  expect(tested).toMatch(/No errors detected in compressed data/);
  const { stdout } = await run('unzip', ['-v', path]);
  return [...stdout.matchAll(/^ *(\d+) +(\w+) .* (\S+)$/gm)]
    .filter(([, , method]) => method === 'Stored')
    .map(([, size, , name]) => `${name} ${size}`);
}

describe('a ZIP archive', () => {
  it('holds the files uncompressed, in the announced length', async () => {
    const entries = Array.from({ length: 12 }, (_, number) => entryOf(number));
    const archive = zipArchive(entries, openBytes);
    const bytes = await buffer(archive.read());
    expect(bytes.length).toBe(archive.sizeBytes);
    const path = join(folder, 'a.zip');
    await writeFile(path, bytes);
    expect(await unzipped(path)).toEqual(
      entries.map(({ path: name, sizeBytes }) => `${name} ${sizeBytes}`),
    );
    const { stdout } = await run('unzip', ['-p', path, entries[4]!.path], { encoding: 'buffer' });
    expect(stdout.equals(bytesOf(4))).toBe(true);
  });

  it('has the same bytes each time, in every time zone', async () => {
    const zone = process.env.TZ;
    const archives: Buffer[] = [];
    for (const name of ['Pacific/Auckland', 'America/Lima']) {
      process.env.TZ = name;
      archives.push(await buffer(zipArchive([entryOf(0)], openBytes).read()));
    }
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
    expect(archives[0]!.equals(archives[1]!)).toBe(true);
  });

  it('has the announced length with as many and as long names as a track may have', async () => {
    const slug = 's'.repeat(100);
    const entries = Array.from({ length: 64 }, (_, number) => ({
      ...entryOf(number),
      path: `${slug}/versions/${number + 1}-backing-vocals.webm`,
    }));
    const archive = zipArchive(entries, openBytes);
    expect((await buffer(archive.read())).length).toBe(archive.sizeBytes);
  });

  it('opens one file at a time, and reads no further than its reader', async () => {
    const opened: number[] = [];
    let pulled = 0;
    const entries = [0, 1, 2].map((number) => ({ ...entryOf(number), sizeBytes: 64_000_000 }));
    const archive = zipArchive(entries, async ({ number }) => {
      opened.push(number);
      return Readable.from(blocks(64_000_000, (size) => (pulled += size)));
    });
    const stream = archive.read();
    await new Promise<void>((resolve) => stream.once('readable', () => resolve()));
    // Nothing is read until nothing more is pulled.
    let before = -1;
    await until(async () => {
      const isStill = before === pulled;
      before = pulled;
      for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
      return isStill && before === pulled;
    });
    expect(opened).toEqual([0]);
    expect(pulled).toBeLessThan(8_000_000);
    let length = 0;
    for await (const chunk of stream) length += chunk.length;
    expect(length).toBe(archive.sizeBytes);
    expect(opened).toEqual([0, 1, 2]);
  });

  it('closes the open file when its stream is destroyed', async () => {
    const files: Readable[] = [];
    const archive = zipArchive([entryOf(0), entryOf(1)], async () => {
      const file = Readable.from(blocks(1e9, () => {}));
      files.push(file);
      return file;
    });
    const stream = archive.read();
    await new Promise<void>((resolve) => stream.once('readable', () => resolve()));
    stream.destroy();
    await until(() => files.length === 1 && files[0]!.destroyed);
    const early = archive.read().destroy();
    await until(() => files.length === 2 && files[1]!.destroyed);
    expect(early.destroyed).toBe(true);
  });

  it.each<[string, () => Promise<Readable>]>([
    ['cannot be opened', () => Promise.reject(new Error('no file'))],
    [
      'fails',
      async () =>
        new Readable({
          read() {
            this.destroy(new Error('no file'));
          },
        }),
    ],
    ['is too short', async () => Readable.from([Buffer.from('short')])],
    ['is too long', async () => Readable.from([bytesOf(0), Buffer.from('long')])],
  ])('fails if a file %s', async (_, openFile) => {
    const archive = zipArchive([entryOf(0) as ArchiveEntry], openFile);
    const failure: Error = await buffer(archive.read()).catch((error) => error);
    expect(failure.message).toBe(
      'The archive ends within song/stems/01-drums.wav, which cannot be read.',
    );
    expect(String(failure.cause)).toMatch(/no file|unexpected number of bytes|longer/);
  });

  it('sends no byte that a file has too much', async () => {
    const archive = zipArchive([entryOf(0), entryOf(1)], async () =>
      Readable.from(blocks(100_000_000, () => {})),
    );
    let length = 0;
    const reading = async () => {
      for await (const chunk of archive.read()) length += chunk.length;
    };
    await expect(reading()).rejects.toThrow('The archive ends within song/stems/01-drums.wav');
    expect(length).toBeLessThan(archive.sizeBytes);
  });
});

/** Blocks of zeros, that many bytes in all. */
function* blocks(sizeBytes: number, onPulled: (size: number) => void): Generator<Buffer> {
  const block = Buffer.alloc(500_000);
  for (let length = 0; length < sizeBytes; length += block.length) {
    onPulled(block.length);
    yield block;
  }
}
