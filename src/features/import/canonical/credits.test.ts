import { describe, expect, it } from 'vitest';
import { record } from '../../../../test/harness/import-bench.ts';
import { trackMaker } from './track.ts';

const make = trackMaker({ source: 'acme' });

const problems = (members: object) =>
  make(record('1', members)).problems?.map(({ field, message }) => `${field} ${message}`);

const artist = (members: object) => ({ artists: [{ name: 'Ann', role: 'composer', ...members }] });

describe('an ISWC', () => {
  it.each(['T-034.524.680-1', 'T0345246801', ' t0345246801 '])('is read from %j', (iswc) => {
    expect(make(record('1', { iswc })).delivery?.iswc).toBe('T-034.524.680-1');
  });

  it.each([
    ['T-034.524.680-2', 'it is "T-034.524.680-2", with a wrong check digit'],
    ['T0345246808', 'it is "T0345246808", with a wrong check digit'],
    ['T-034524680-1', 'it is "T-034524680-1"'],
    ['0345246801', 'it is "0345246801"'],
    ['T03452468010', 'it is "T03452468010"'],
  ])('%j is rejected', (iswc, reason) => {
    const message = `iswc must be an ISWC such as T-034.524.680-1 or T0345246801; ${reason}`;
    expect(problems({ iswc })).toEqual([message]);
  });

  it('of another type is rejected', () => {
    const rule = 'must be `T-034.524.680-1` or its eleven characters, with a correct check digit';
    expect(problems({ iswc: 345246801 })).toEqual([`iswc ${rule}; it is 345246801`]);
  });

  it('that is absent or null is no part of the delivery; an empty text removes it', () => {
    expect(make(record('1')).delivery).not.toHaveProperty('iswc');
    expect(make(record('1', { iswc: null })).delivery).not.toHaveProperty('iswc');
    expect(make(record('1', { iswc: ' ' })).delivery).toHaveProperty('iswc', '');
  });
});

describe('the writers of a record', () => {
  const writersOf = (members: object) => make(record('1', members)).delivery?.writers;
  const ann = { name: 'Ann', role: 'COMPOSER', ipi: null, society: null, share: null };

  it.each([
    [{ ipi: '141073380' }, { ipi: '00141073380' }],
    [{ ipi: ' 00014107338 ' }, { ipi: '00014107338' }],
    [{ ipi: 141073380 }, { ipi: '00141073380' }],
    [{ society: ' GEMA ' }, { society: 'GEMA' }],
    [{ society: 'x'.repeat(40) }, { society: 'x'.repeat(40) }],
    [{ sharePercent: 0 }, { share: 0 }],
    [{ sharePercent: 100 }, { share: 10_000 }],
    [{ sharePercent: 33.33 }, { share: 3_333 }],
    [{ sharePercent: '12.5' }, { share: 1_250 }],
    [{ sharePercent: '100.00' }, { share: 10_000 }],
  ])('are read from %j', (given, expected) => {
    expect(writersOf(artist(given))).toEqual([{ ...ann, ...expected }]);
  });

  it.each([
    [{ ipi: '12345678' }, 'artists[0].ipi must have 9 to 11 digits; it is "12345678"'],
    [{ ipi: '123456789012' }, 'artists[0].ipi must have 9 to 11 digits; it is "123456789012"'],
    [{ ipi: '1234-56789' }, 'artists[0].ipi must have 9 to 11 digits; it is "1234-56789"'],
    [{ society: 'x'.repeat(41) }, 'artists[0].society must have 40 characters at most; it has 41'],
    [{ society: 'a\0b' }, 'artists[0].society must not hold the NUL character'],
    ...[-1, 100.01, 101, 33.333, 1e-7, '50 %', '1e1', '1000'].map((sharePercent) => [
      { sharePercent },
      `artists[0].sharePercent must be a number between 0 and 100 with two decimals at most; it is ${JSON.stringify(sharePercent)}`,
    ]),
  ] as [object, string][])('with %j are rejected', (given, problem) => {
    expect(problems(artist(given))).toEqual([problem]);
  });

  it.each([{ ipi: true }, { society: 5 }, { sharePercent: [] }])(
    'with %j are rejected',
    (given) => {
      expect(problems(artist(given))?.[0]).toMatch(/^artists must be a list of .*; entry 1 is/);
    },
  );

  it('are all credits if one has more than a credit', () => {
    const artists = [
      { name: 'Bob', ipi: '' },
      { name: 'Ann', role: 'composer', society: 'PRS' },
    ];
    expect(writersOf({ artists })).toEqual([
      { ...ann, name: 'Bob', role: 'MAIN_ARTIST' },
      { ...ann, society: 'PRS' },
    ]);
  });

  it('are no part of a delivery that says nothing of them, and empty for an empty list', () => {
    for (const members of [{}, { artists: null }, artist({ ipi: null, society: ' ' })]) {
      expect(make(record('1', members)).delivery).not.toHaveProperty('writers');
    }
    expect(writersOf({ artists: [] })).toEqual([]);
  });

  it('may have shares of more than 100 % on a side', () => {
    const credit = (role: string, sharePercent: number) => ({ name: role, role, sharePercent });
    const excess = (...artists: object[]) => make(record('1', { artists }));
    expect(excess(credit('COMPOSER', 60), credit('LYRICIST', 40.01))).toMatchObject({
      problems: null,
      hasExcessShares: true,
    });
    expect(excess(credit('COMPOSER', 100), credit('PUBLISHER', 100))).toMatchObject({
      hasExcessShares: false,
    });
  });
});
