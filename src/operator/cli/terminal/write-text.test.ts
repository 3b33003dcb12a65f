import { existsSync, readFileSync, statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/harness/cli.ts';
import { explain } from './failure.ts';
import { writeNewFile } from './write-text.ts';

async function* text(failure?: Error) {
  yield 'a line\n';
  if (failure !== undefined) throw failure;
}

it('writes a new file that only its owner reads, and no existing one', async () => {
  using folder = temporaryFolder();
  const path = folder.at('new.csv');
  await writeNewFile(path, text());
  expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['a line\n', 0o600]);
  await expect(writeNewFile(path, text())).rejects.toThrow('exists already: name another file');
});

it('removes a file that the disk does not take, and names it', async () => {
  using folder = temporaryFolder();
  const path = folder.at('new.csv');
  // As a write to a full disk fails.
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
    code: 'ENOSPC',
    syscall: 'write',
  });
  const error = await writeNewFile(path, text(full)).catch((thrown: unknown) => thrown);
  expect(explain(error)).toBe(`${path}: the disk is full`);
  expect(existsSync(path)).toBe(false);
});
