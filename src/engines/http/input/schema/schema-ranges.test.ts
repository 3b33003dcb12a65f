import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import type { FieldProblem } from '../../../../common/errors.ts';
import { dateOrTime } from '../../schemas.ts';
import { BODY, MAX_PROBLEMS } from '../problems.ts';
import { ParameterReader } from '../query.ts';
import { compileCheck } from './schema-check.ts';

const Ranged = Type.Object(
  {
    bpmMin: Type.Optional(Type.Number({ maximum: 1000 })),
    bpmMax: Type.Optional(Type.Number({ maximum: 1000 })),
    from: Type.Optional(dateOrTime()),
    to: Type.Optional(dateOrTime()),
  },
  {
    'x-ranges': [
      ['bpmMin', 'bpmMax'],
      ['from', 'to'],
    ],
  },
);
const check = compileCheck(Ranged);
const reader = new ParameterReader(Ranged);

function problemsOf(values: object): FieldProblem[] {
  const problems: FieldProblem[] = [];
  check({ ...values }, BODY, problems);
  return problems;
}

describe('x-ranges', () => {
  it.each([
    {},
    { bpmMin: 90 },
    { bpmMax: 0 },
    { bpmMin: 90, bpmMax: 90 },
    { from: '2024-01-31', to: '2024-01-31' },
    { from: '2024-01-31T23:59:59.999Z', to: '2024-01-31' },
    { from: '2024-01-31', to: '2024-01-31T00:00:00Z' },
    { from: '2024-01-31T00:00:00Z', to: '2024-01-31T00:00:00.5Z' },
  ])('accepts %j', (values) => {
    expect(problemsOf(values)).toEqual([]);
  });

  it('refuses a range that ends before it begins, and names both ends', () => {
    expect(problemsOf({ bpmMin: 91, bpmMax: 90.5 })).toEqual([
      { field: 'bpmMin', message: 'bpmMin must not be above bpmMax' },
      { field: 'bpmMax', message: 'bpmMax must not be below bpmMin' },
    ]);
    expect(problemsOf({ from: '2024-01-31', to: '2024-01-30' })).toEqual([
      { field: 'from', message: 'from must not be after to' },
      { field: 'to', message: 'to must not be before from' },
    ]);
  });

  it.each([
    [{ bpmMin: 91, bpmMax: 90, from: '2024-01-31T00:00:00.001Z', to: '2024-01-30' }, 4],
    [{ bpmMin: 1001, bpmMax: 90, from: '2024-02-01', to: '2024-01-01' }, 3],
    [{ bpmMin: '91', bpmMax: 90 }, 1],
    [{ bpmMin: 91, bpmMax: null }, 1],
    [{ from: '2024-02-30', to: '2024-01-01' }, 1],
  ])('reports each problem of %j once, with all the others', (values, count) => {
    expect(problemsOf(values)).toHaveLength(count);
  });

  it('checks query strings in the same way', () => {
    const problems: FieldProblem[] = [];
    reader.query('bpmMin=91&bpmMax=90&from=2024-01-31&to=never', problems);
    expect(problems.map(({ field }) => field)).toEqual(['to', 'bpmMin', 'bpmMax']);
  });

  it('names the members of a nested object by their path', () => {
    const problems: FieldProblem[] = [];
    compileCheck(Type.Object({ where: Ranged }))(
      { where: { bpmMin: 2, bpmMax: 1 } },
      BODY,
      problems,
    );
    expect(problems.map(({ message }) => message)).toEqual([
      'where.bpmMin must not be above where.bpmMax',
      'where.bpmMax must not be below where.bpmMin',
    ]);
  });

  it('stops when the maximum number of problems is reported', () => {
    const problems = Array.from({ length: MAX_PROBLEMS }, () => ({ field: 'x', message: 'y' }));
    check({ from: 5, to: {} }, BODY, problems);
    expect(problems).toHaveLength(MAX_PROBLEMS);
  });
});
