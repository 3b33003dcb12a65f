import { afterEach, expect, it, vi } from 'vitest';
import type { FieldProblem } from '../../../common/errors.ts';
import { parseForm } from './parse-body.ts';
import { MAX_PROBLEMS } from './problems.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

it('stops reading a form when it has found the maximum number of problems', () => {
  const decode = vi.spyOn(globalThis, 'decodeURIComponent');
  const problems: FieldProblem[] = [];
  parseForm('%&'.repeat(30_000), problems);
  expect(problems).toHaveLength(MAX_PROBLEMS);
  expect(decode).toHaveBeenCalledTimes(MAX_PROBLEMS);
});
