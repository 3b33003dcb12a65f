import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COUNTRIES } from '../../common/codes.ts';
import {
  type AvailabilityEntry,
  availabilityAt,
  isAvailable,
  parseAvailability,
  serializedAvailability,
  stateWithin,
  unavailableIn,
} from './availability.ts';

const CODES = ['AT', 'DE', 'US'];
const codes = fc
  .uniqueArray(fc.constantFrom(...CODES), { minLength: 1 })
  .map((some) => some.sort());
const moment = fc.integer({ min: 0, max: 20 });
const entry: fc.Arbitrary<AvailabilityEntry> = fc
  .record(
    { territories: codes, excludedTerritories: codes, from: moment, until: moment },
    { requiredKeys: [] },
  )
  .filter(({ from, until }) => from === undefined || until === undefined || from < until);
const entries = fc.array(entry, { maxLength: 4 });

/** The rule of docs/contract/availability.md, for one country. */
function isAllowed(all: readonly AvailabilityEntry[], country: string, at: number): boolean {
  return (
    all.length === 0 ||
    all.some(
      ({ territories, excludedTerritories, from, until }) =>
        (from === undefined || from <= at) &&
        (until === undefined || at < until) &&
        (territories === undefined || territories.includes(country)) &&
        !excludedTerritories?.includes(country),
    )
  );
}

describe('the availability at a moment', () => {
  it('allows each country as the rule says', () => {
    fc.assert(
      fc.property(entries, moment, (all, at) => {
        const found = availabilityAt(all, at);
        for (const country of [...CODES, 'FR']) {
          expect(unavailableIn(found, [country]).length === 0).toBe(isAllowed(all, country, at));
        }
        const everywhere = COUNTRIES.every((country) => isAllowed(all, country, at));
        expect(unavailableIn(found, ['WORLD']).length === 0).toBe(everywhere);
        expect(isAvailable(found)).toBe(COUNTRIES.some((country) => isAllowed(all, country, at)));
      }),
    );
  });

  it('stays the same until the next switch, and never changes later without one', () => {
    fc.assert(
      fc.property(entries, moment, (all, at) => {
        const { nextSwitch, ...found } = availabilityAt(all, at);
        const end = nextSwitch ?? 30;
        expect(end).toBeGreaterThan(at);
        for (let later = at; later < end; later++) {
          const { territories } = availabilityAt(all, later);
          expect(territories).toEqual(found.territories);
        }
      }),
    );
  });

  it('is stored and read', () => {
    fc.assert(
      fc.property(entries, (all) => {
        expect(parseAvailability(serializedAvailability(all))).toEqual(all);
      }),
    );
  });

  it('that comprises all countries is the world', () => {
    const halves = [{ territories: ['DE'] }, { excludedTerritories: ['DE'] }];
    expect(availabilityAt(halves, 0).territories).toBe(null);
    expect(unavailableIn(availabilityAt([{ territories: ['DE'] }], 0), ['WORLD', 'DE'])).toEqual([
      'WORLD',
    ]);
  });

  it('decides the state only of tracks that are neither taken down nor withdrawn', () => {
    const [within, outside] = [availabilityAt([{}], 0), availabilityAt([{ from: 1 }], 0)];
    expect(stateWithin(within, 'live')).toBe('live');
    expect(stateWithin(within, 'unavailable')).toBe('live');
    expect(stateWithin(outside, 'live')).toBe('unavailable');
    expect(stateWithin(outside, 'unavailable')).toBe('unavailable');
    for (const availability of [within, outside]) {
      expect(stateWithin(availability, 'taken_down')).toBe('taken_down');
      expect(stateWithin(availability, 'withdrawn')).toBe('withdrawn');
    }
  });
});
