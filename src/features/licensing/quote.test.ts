import { describe, expect, it } from 'vitest';
import { cardWith } from '../../../test/harness/rate-cards.ts';
import { DAY_MS } from '../../common/clock.ts';
import { OperatorError } from '../../common/errors.ts';
import { problemsOf, requireTimeOfSale } from './quote.ts';
import { parseQuoteRequest } from './quote-request.ts';

const NOW = Date.UTC(2026, 10, 25);

const REQUEST = {
  tracks: ['night-ferry'],
  media: ['online'],
  territories: ['DE'],
  term: 'P1Y',
  audience: 5,
  project: { name: 'Spring ad' },
};

const request = (members: object = {}) =>
  parseQuoteRequest(JSON.stringify({ ...REQUEST, ...members }));

describe('a request that the card does not sell', () => {
  const problems = (members: object) => problemsOf(request(members), cardWith(), NOW);

  it('has no problem if all is for sale', () => {
    expect(problems({})).toEqual([]);
  });

  it('has all problems, with the known values', () => {
    expect(problems({ media: ['online', 'tv'], term: 'P2Y', audience: undefined })).toEqual([
      { field: 'media[1]', message: 'media[1] must be one of online, social, broadcast, not tv' },
      { field: 'term', message: 'term must be one of P1M, P1Y, PERPETUAL, not P2Y' },
      { field: 'audience', message: 'audience is missing: the rate card has steps' },
    ]);
  });

  it('names the known values once, and a limited number of them', () => {
    const codes = (prefix: string, factor: string) =>
      Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`${prefix}${i}`, factor]));
    const card = cardWith({ media: codes('m', '0.1'), terms: { P1Y: '1' } });
    const found = problemsOf(request({ media: Object.keys(codes('x', '1')) }), card, NOW);
    expect(found).toHaveLength(500);
    expect(found[0]!.message).toMatch(/^media\[0\] must be one of m0, m1, .*, m49 and 450 others/);
    expect(found[1]!.message).toBe('media[1] must be one of the same, not x1');
    expect(JSON.stringify(found.slice(0, 50)).length).toBeLessThan(10_000);
  });

  it.each([
    [-5 * 60_000, []],
    [-5 * 60_000 - 1, ['startsAt']],
    [365 * DAY_MS, []],
    [365 * DAY_MS + 1, ['startsAt']],
  ])('starts %s ms from now', (offset, fields) => {
    const startsAt = new Date(NOW + offset).toISOString();
    expect(problems({ startsAt }).map(({ field }) => field)).toEqual(fields);
  });
});

it.each([Date.UTC(1969, 11, 31), Date.UTC(9_890, 0, 1), Date.parse('9999-12-31T00:00:00Z')])(
  'nothing is sold at %s',
  (now) => {
    expect(() => requireTimeOfSale(now)).toThrow('X-Stave-Now must be in the years 1970 to 9889');
    expect(() => requireTimeOfSale(NOW)).not.toThrow();
  },
);

it.each(['{', '[]', '{}'])('refuses the file %s of an operator', (text) => {
  expect(() => parseQuoteRequest(text)).toThrow(OperatorError);
});

it.each([
  [{ tracks: [] }],
  [{ territories: ['WORLD', 'DE'] }],
  [{ territories: ['UK'] }],
  [{ audience: -1 }],
  [{ media: ['online', 'online'] }],
  [{ project: {} }],
])('refuses a request of an operator with %j', (members) => {
  expect(() => request(members)).toThrow(/^the request is refused: [^\n]+$/);
});
