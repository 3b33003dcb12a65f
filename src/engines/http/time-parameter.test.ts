import fc from 'fast-check';
import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import type { FieldProblem } from '../../common/errors.ts';
import { time } from '../../common/schema-types.ts';
import { parseTime } from '../../common/time.ts';
import { ParameterReader } from './input/query.ts';
import { compileCheck } from './input/schema/schema-check.ts';
import { dateOrTime } from './schemas.ts';

describe('time', () => {
  const check = compileCheck(time());
  const isAccepted = (text: string) => {
    const problems: FieldProblem[] = [];
    check(text, 'at', problems);
    return problems.length === 0;
  };

  it('accepts what parseTime reads', () => {
    const form =
      /^(19|20)[0-9]{2}-[01][0-9]-[0-3][0-9][Tt ][0-2][0-9]:[0-6][0-9]:[0-6][0-9](\.[0-9]{0,4})?([Zz]|[+-][0-2][0-9]:[0-6][0-9]|\[UTC\])?$/;
    let accepted = 0;
    fc.assert(
      fc.property(fc.stringMatching(form), (text) => {
        accepted += Number(isAccepted(text));
        expect(isAccepted(text)).toBe(parseTime(text) !== undefined);
      }),
      { numRuns: 5_000 },
    );
    expect(accepted).toBeGreaterThan(100);
  });

  it.each(['2026-11-21T23:59:60Z', '2026-11-21T10:00:00Z[UTC]', '2026-11-21T10:00:00Z\n'])(
    'refuses %j',
    (text) => {
      expect(isAccepted(text)).toBe(false);
    },
  );
});

describe('a time in a query', () => {
  const reader = new ParameterReader(
    Type.Object({
      since: Type.Optional(time()),
      from: Type.Optional(dateOrTime()),
      times: Type.Optional(Type.Array(time())),
      day: Type.Optional(Type.String({ format: 'date' })),
    }),
  );
  const messages = (queryString: string) => {
    const problems: FieldProblem[] = [];
    reader.query(queryString, problems);
    return problems.map(({ message }) => message);
  };

  it('explains a bare +', () => {
    const at = '2026-11-21T10:00:00+01:00';
    expect(messages(`since=${at}&from=${at}&times=2026-11-21T10:00:00Z,${at}`)).toEqual([
      'since must be a time such as 2026-11-21T10:40:10.000Z; write a + as %2B',
      'from must be a date such as 2024-01-31 or a time in UTC such as 2024-01-31T12:00:00.000Z',
      'times[1] must be a time such as 2026-11-21T10:40:10.000Z; write a + as %2B',
    ]);
    expect(messages(`since=${at.replace('+', '%2B')}`)).toEqual([]);
    expect(messages('day=2026-11-21+')).toEqual(['day must be a date such as 2026-11-21']);
  });
});
