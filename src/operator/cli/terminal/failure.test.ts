import { CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { StaveError } from '../../../common/errors.ts';
import { OperatorError } from '../../../common/operator-error.ts';
import { explain } from './failure.ts';

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
