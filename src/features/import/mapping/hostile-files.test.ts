import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadMapping } from './load.ts';

let folder: string;
let inner: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stave-hostile-'));
  inner = join(folder, 'inner');
  mkdirSync(inner);
});
afterEach(() => rmSync(folder, { recursive: true }));

const MAPPING = JSON.stringify({ name: 'x', fields: { name: 'title' } });
/** A mapping whose rule reads this side file. */
const looksUp = (file: string) => {
  const lookup = { file, key: 'id', take: 'genre' };
  return JSON.stringify({ name: 'x', fields: { songKey: { from: 'it', lookup } } });
};
const write = (name: string, content: string) => writeFileSync(join(folder, name), content);
const reasonOf = (file: string, beneath?: string) =>
  loadMapping(file, beneath).then(
    () => undefined,
    (error: Error) => {
      expect(error.name).toBe('OperatorError');
      return error.message;
    },
  );

describe('a mapping', () => {
  it('must be a regular file', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    for (const path of [pipe, '/dev/zero', folder]) {
      expect(await reasonOf(path)).toBe(`the mapping ${path} is not a regular file`);
    }
    expect(await reasonOf('a\0b')).toContain('a path cannot contain the character NUL');
  });

  it('has at most 1 MiB', async () => {
    write('m.json', MAPPING + ' '.repeat(1024 * 1024 - MAPPING.length));
    expect((await loadMapping(join(folder, 'm.json'))).name).toBe('x');
    write('m.json', MAPPING + ' '.repeat(1024 * 1024 - MAPPING.length + 1));
    expect(await reasonOf(join(folder, 'm.json'))).toMatch(/m\.json is larger than 1 MiB$/);
  });

  // The size of this file is 0, and it has some megabytes.
  it.skipIf(!existsSync('/proc/kallsyms'))(
    'is not read further, whatever its size is',
    async () => {
      const path = '/proc/kallsyms';
      expect(await reasonOf(path)).toBe(`the mapping ${path} is larger than 1 MiB`);
    },
  );

  it.each([
    ['lines', 'root:$6$secret:19000::\ndaemon:*:19000::\n'],
    ['a value', '{"name": "x",\n"fields": {"name": secret}}'],
    ['another form', '{"password-secret": "secret"}'],
    ['a list', '["secret"]'],
    ['a text', '"secret"'],
    ['a number', '31337'],
    ['a member of the wrong form', '{"name": "x", "fields": "secret"}'],
    ['a member that is none', '{"name": ["secret"], "fields": {}}'],
  ])('that is another file is refused without its content: %s', async (_, content) => {
    write('m.json', content);
    const reason = await reasonOf(join(folder, 'm.json'));
    expect(reason).toMatch(/^the mapping .*m\.json is not /);
    expect(reason).not.toMatch(/secret|31337|root/);
  });

  it('names the place where it is not JSON', async () => {
    write('m.json', '{"name": "x",\n "fields": {"name": oops}}');
    expect(await reasonOf(join(folder, 'm.json'))).toMatch(
      /is not valid JSON: Unexpected character \(line 2 column 21\)$/,
    );
  });

  it('may have to lie in a folder', async () => {
    write('m.json', MAPPING);
    write('inner/m.json', MAPPING);
    symlinkSync('../m.json', join(inner, 'out.json'));
    symlinkSync('m.json', join(inner, 'in.json'));
    for (const file of ['m.json', join(inner, 'm.json'), 'in.json', 'catalog-dump']) {
      expect(await reasonOf(file, inner)).toBeUndefined();
    }
    for (const file of ['../m.json', join(folder, 'm.json'), 'out.json', '/etc/passwd']) {
      expect(await reasonOf(file, inner)).toBe(
        `the mapping ${file} must lie beneath the folder ${inner}`,
      );
    }
  });
});

describe('a side file', () => {
  const GENRES = 'id,genre\n1,Jazz\n';

  it('may be a link to a file in the folder of the mapping, or below', async () => {
    mkdirSync(join(inner, 'deep'));
    write('inner/deep/genres.csv', GENRES);
    symlinkSync('deep/genres.csv', join(inner, 'link.csv'));
    write('inner/m.json', looksUp('link.csv'));
    const { toRecord } = await loadMapping(join(inner, 'm.json'));
    expect(toRecord({ it: '1' }).songKey).toBe('Jazz');
  });

  it.each<[string, string, string]>([
    ['a path that leaves the folder', '../genres.csv', 'without `..`'],
    ['a path that returns to it', 'deep/../../inner/in.csv', 'without `..`'],
    ['a path of Windows', '..\\genres.csv', 'without `..`'],
    ['a link that leaves the folder', 'out.csv', 'must lie beneath the folder'],
    ['a link to a folder that leaves it', 'up/genres.csv', 'must lie beneath the folder'],
    ['a pipe', 'pipe', 'is not a regular file'],
    ['a device', 'zero', 'is not a regular file'],
    ['a folder', 'deep', 'is not a regular file'],
    ['a path with NUL', 'a\0b', 'a path cannot contain the character NUL'],
  ])('is refused with %s', async (_, file, reason) => {
    write('genres.csv', GENRES);
    write('inner/in.csv', GENRES);
    mkdirSync(join(inner, 'deep'));
    symlinkSync('../genres.csv', join(inner, 'out.csv'));
    symlinkSync('..', join(inner, 'up'));
    execFileSync('mkfifo', [join(inner, 'pipe')]);
    symlinkSync('/dev/zero', join(inner, 'zero'));
    write('inner/m.json', looksUp(file));
    const told = await reasonOf(join(inner, 'm.json'));
    expect(told).toContain(`the side file ${file} of the mapping`);
    expect(told).toContain('(fields.songKey)');
    expect(told).toContain(reason);
  });
});
