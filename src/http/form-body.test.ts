import { afterEach, expect, it, vi } from 'vitest';
import type { FieldProblem } from '../common/errors.ts';
import { parseForm } from './form-body.ts';
import { MAX_PROBLEMS } from './problems.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

it('gives up on a form once it has found as many problems as are reported', () => {
  const decode = vi.spyOn(globalThis, 'decodeURIComponent');
  const problems: FieldProblem[] = [];
  parseForm('%&'.repeat(30_000), problems);
  expect(problems).toHaveLength(MAX_PROBLEMS);
  expect(decode).toHaveBeenCalledTimes(MAX_PROBLEMS);
});
