import Type from 'typebox';
import { afterEach, expect, it, vi } from 'vitest';
import type { FieldProblem } from '../kernel/errors.ts';
import { MAX_PROBLEMS } from './problems.ts';
import { ParameterReader } from './query.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

it('gives up on a query string once it has found as many problems as are reported', () => {
  const reader = new ParameterReader(Type.Object({ page: Type.Optional(Type.Integer()) }));
  const decode = vi.spyOn(globalThis, 'decodeURIComponent');
  const problems: FieldProblem[] = [];
  reader.query('%&'.repeat(4_000), problems);
  expect(problems).toHaveLength(MAX_PROBLEMS);
  expect(decode).toHaveBeenCalledTimes(MAX_PROBLEMS);
});

it('passes over a parameter that it does not know, whatever it holds', () => {
  const reader = new ParameterReader(Type.Object({ page: Type.Optional(Type.Integer()) }));
  const problems: FieldProblem[] = [];
  expect(reader.query('campaign=%zz&page=2&campaign=100%', problems)).toEqual({ page: 2 });
  expect(problems).toEqual([]);
});
