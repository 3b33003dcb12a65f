import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatView, parseView, type Query, restrictions, SORTS, type View } from './view.ts';

const text = fc.string({ minLength: 1, maxLength: 30 }).filter((one) => one.trim() !== '');
const name = fc.stringMatching(/^[A-Za-z0-9-]{1,12}$/);
const count = fc.integer({ min: 0, max: 999_999 });
const slugs = fc.array(fc.stringMatching(/^[a-z0-9-]{1,12}$/), { minLength: 1, maxLength: 50 });
const keys = fc.array(fc.constantFrom('8A', 'A minor', 'D lydian'), {
  minLength: 1,
  maxLength: 24,
});
const date = fc.constantFrom('2024-01-31', '2026-12-01');

const anyText: fc.Arbitrary<Query> = fc.oneof(
  fc.record({ search: text, sort: fc.constantFrom(...SORTS) }, { requiredKeys: [] }),
  fc.record({ brief: text, ignore: fc.array(text, { minLength: 1, maxLength: 9 }) }),
);

const anyQuery: fc.Arbitrary<Query> = fc
  .tuple(
    anyText,
    fc.record(
      {
        type: fc.constantFrom('music', 'sfx'),
        hasVocals: fc.boolean(),
        filterSlugs: slugs,
        anyFilterSlugs: slugs,
        notFilterSlugs: slugs,
        songKey: keys,
        vocals: fc.constantFrom(['vocal'], ['instrumental', 'unknown']),
        hasAudio: fc.constantFrom(false as const, 'any' as const),
        bpmMin: count,
        bpmMax: count,
        durationMin: count,
        durationMax: count,
        releasedFrom: date,
        releasedTo: date,
      },
      { requiredKeys: [] },
    ),
  )
  .map(([one, other]) => ({ ...one, ...other }));

const anyView: fc.Arbitrary<View> = fc.record(
  {
    shown: fc.oneof(
      fc.constantFrom<View['shown']>({ list: 'search' }, { list: 'playlists' }, { list: 'quotes' }),
      fc.record({ list: fc.constantFrom('playlist', 'saved-search', 'similar'), of: name }),
      fc.record({ list: fc.constant('similar'), of: name, by: fc.constantFrom('sound', 'both') }),
    ),
    query: anyQuery,
    track: name,
    panel: fc.constantFrom('log', 'code'),
    language: fc.constantFrom('de', 'pt-BR', 'zh-Hant-TW'),
  },
  { requiredKeys: ['shown', 'query'] },
);

describe('the address of a view', () => {
  it('leads back to the view', () => {
    fc.assert(
      fc.property(anyView, (view) => {
        expect(parseView(formatView(view))).toEqual(view);
      }),
    );
  });

  it('is empty for the whole catalog, and readable', () => {
    expect(formatView(parseView(''))).toBe('');
    const address = '?search=night&filterSlugs=calm,ambient&bpmMin=60&track=slow-current';
    expect(formatView(parseView(address))).toBe(address);
  });

  it.each([
    '?bpmMin=fast&durationMax=-1&bpmMax=1e9',
    '?releasedFrom=yesterday&releasedTo=2024-1-1',
    '?type=podcast&hasVocals=maybe&sort=best&panel=console&list=everything',
    '?filterSlugs=,,&search=&track=&token=secret',
    '?language=d&panel=%3Cscript%3E',
    '?language=de;q=1',
    '?hasAudio=true',
  ])('ignores what is not valid: %s', (address) => {
    expect(formatView(parseView(address))).toBe('');
  });

  it.each([
    ['?track=..%2Fme', ['track']],
    ['?playlist=a%2Ftracks&filterSlugs=%C3%BC', ['filterSlugs', 'playlist']],
    [
      '?collection=.&similar=a%20b&saved-search=%252e&track=a,b',
      [...['collection', 'similar', 'saved-search', 'track']],
    ],
  ])('leaves out what is no slug or id, and says so: %s', (address, leftOut) => {
    const view = parseView(address);
    expect(view).toEqual({ shown: { list: 'search' }, query: {}, leftOut });
    expect(formatView(view)).toBe('');
  });

  it('bounds the text and the filters', () => {
    const { query } = parseView(`?search=${'a'.repeat(300)}&filterSlugs=${'b,'.repeat(90)}`);
    expect([query.search!.length, query.filterSlugs!.length]).toEqual([200, 50]);
  });
});

it('counts what restricts a query besides its text', () => {
  const { query } = parseView('?search=night&sort=name&filterSlugs=calm,dark&bpmMin=60&type=sfx');
  expect(restrictions(query)).toBe(4);
});
