import Type from 'typebox';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { FieldProblem } from '../../../common/errors.ts';
import { MAX_PROBLEMS } from './problems.ts';
import { ParameterReader } from './query.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

it('stops reading a query string when it has found the maximum number of problems', () => {
  const reader = new ParameterReader(Type.Object({ page: Type.Optional(Type.Integer()) }));
  const decode = vi.spyOn(globalThis, 'decodeURIComponent');
  const problems: FieldProblem[] = [];
  reader.query('%&'.repeat(4_000), problems);
  expect(problems).toHaveLength(MAX_PROBLEMS);
  expect(decode).toHaveBeenCalledTimes(MAX_PROBLEMS);
});

describe('a parameter that the schema does not name', () => {
  const reader = new ParameterReader(
    Type.Object({
      search: Type.Optional(Type.String()),
      filterSlugs: Type.Optional(Type.Array(Type.String())),
      bpmMin: Type.Optional(Type.Number()),
      bpmMax: Type.Optional(Type.Number()),
      pageSize: Type.Optional(Type.Integer()),
      page: Type.Optional(Type.Integer()),
    }),
    ['client_id'],
  );
  const messages = (queryString: string) => {
    const problems: FieldProblem[] = [];
    reader.query(queryString, problems);
    return problems.map(({ message }) => message);
  };

  it.each([
    [
      'filterSlug=calm',
      'filterSlug is not a parameter of this operation (did you mean filterSlugs?)',
    ],
    [
      'filter%53lug=calm',
      'filterSlug is not a parameter of this operation (did you mean filterSlugs?)',
    ],
    ['page_size=5', 'page_size is not a parameter of this operation (did you mean pageSize?)'],
    ['per_page=5', 'per_page is not a parameter of this operation (did you mean pageSize?)'],
    ['bpm=120', 'bpm is not a parameter of this operation (did you mean bpmMin or bpmMax?)'],
    [
      'filterSlugs[]=calm',
      'filterSlugs[] is not a parameter of this operation (did you mean filterSlugs?); join its entries with commas, as in filterSlugs=a,b',
    ],
    ['clientId=x', 'clientId is not a parameter of this operation; send client_id in the body'],
    [
      'color=blue',
      'color is not a parameter of this operation; the known parameters are search, filterSlugs, bpmMin, bpmMax, pageSize and page',
    ],
    [
      '=x',
      'a value without a name is not a parameter of this operation; the known parameters are search, filterSlugs, bpmMin, bpmMax, pageSize and page',
    ],
    [
      `stave_live_${'a'.repeat(36)}`,
      '[secret] is not a parameter of this operation; the known parameters are search, filterSlugs, bpmMin, bpmMax, pageSize and page',
    ],
  ])('is refused with the nearest known parameter: %s', (queryString, message) => {
    expect(messages(queryString)).toEqual([message]);
  });

  it('is reported once if it is repeated, together with all other problems', () => {
    expect(messages('limit=5&q=rain&limit=6&page=x')).toEqual([
      'limit is not a parameter of this operation (did you mean pageSize?)',
      'q is not a parameter of this operation (did you mean search?)',
      'page must be a whole number',
    ]);
  });

  it.each(['_=1', '_x=%zz&_x', 'utm_source=a&utm_source=b', '&', 'page=2&', '&&page=2'])(
    'is ignored if it has no meaning for any service: %s',
    (queryString) => {
      expect(messages(queryString)).toEqual([]);
    },
  );

  it('is refused with the only known parameter if that is not near', () => {
    const problems: FieldProblem[] = [];
    new ParameterReader(Type.Object({ type: Type.Optional(Type.String()) })).query('x=1', problems);
    expect(problems.map(({ message }) => message)).toEqual([
      'x is not a parameter of this operation; the only known parameter is type',
    ]);
  });

  it('is refused if the operation has no parameters', () => {
    const problems: FieldProblem[] = [];
    new ParameterReader(Type.Object({})).query('page=1', problems);
    expect(problems.map(({ message }) => message)).toEqual([
      'page is not a parameter of this operation, which has none',
    ]);
  });
});
