import { existsSync, readFileSync, statSync } from 'node:fs';
import { CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/harness/cli.ts';
import { OperatorError, StaveError } from '../../../common/errors.ts';
import { explain, writeNewFile } from './output.ts';

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

describe('explain', () => {
  it.each([
    [new OperatorError('the disk is full'), 'the disk is full'],
    [
      new StaveError('invalid_request', 'Two things are wrong.', {
        details: [
          { field: 'name', message: 'is empty.' },
          { field: 'scopes', message: 'are missing.' },
        ],
      }),
      'Two things are wrong. name: is empty. scopes: are missing.',
    ],
    [
      new CommanderError(1, 'x', "error: unknown option '--nam'\n(Did you mean --name?)"),
      "unknown option '--nam' (Did you mean --name?)",
    ],
    [
      Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC', syscall: 'write' }),
      'write: the disk is full',
    ],
    [
      Object.assign(new Error('EACCES'), { code: 'EACCES', path: '/x', syscall: 'open' }),
      '/x: permission denied',
    ],
    [
      new TypeError('a is\nundefined'),
      'unexpected failure: a is undefined (STAVE_LOG_LEVEL=debug shows where)',
    ],
    ['text', 'failed: text'],
    [new OperatorError('no track \u001b[2J\u009b31m'), 'no track \uFFFD[2J\uFFFD31m'],
  ])('describes %o in one line', (error, line) => {
    expect(explain(error)).toBe(line);
  });
});
