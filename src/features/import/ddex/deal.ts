import { DAY_MS } from '../../../common/clock.ts';
import { parseReleaseDate } from '../canonical/release-date.ts';
import { describe } from '../record.ts';
import { type Element, elementsAt, isFlagged, textAt, textsAt } from './element.ts';
import { allExcept, listOf, minus, type Scope } from './scope.ts';
import { countryOf } from './territory.ts';

/** Senders write the last day of the calendar of ISO 8601 for a deal without an end. */
const NEVER = Date.UTC(9999, 11, 31);
/** The most periods of one deal. */
const MAX_PERIODS = 100;

/** The terms of a deal that Stave reads. */
export type Deal =
  | { kind: 'takedown'; scope: Scope }
  | { kind: 'grant'; scope: Scope; periods: readonly Period[] }
  /** Grants no use of the recordings of its releases. */
  | { kind: 'none' }
  | { kind: 'faulty'; problem: string };

/** In milliseconds since the epoch; null is unbounded. `from` is included, `until` is not. */
export interface Period {
  from: number | null;
  until: number | null;
}

/**
 * Reads the deals of a `Deal`: one for each `DealTerms`. Calls `onUnknown` with each territory that is no country: a deal
 * does not apply there. Which use they permit (`CommercialModelType`, `UseType`) does not
 * matter, because the partners of Stave use a track in products of their own.
 */
export function dealsOf(deal: Element, onUnknown: (territory: string) => void): Deal[] {
  return elementsAt(deal, 'DealTerms').map((terms) => dealOf(terms, onUnknown));
}

function dealOf(terms: Element, onUnknown: (territory: string) => void): Deal {
  if (grantsNothing(terms)) {
    return { kind: 'none' };
  }
  const scope = scopeOf(terms, onUnknown);
  if (typeof scope === 'string') {
    return { kind: 'faulty', problem: scope };
  }
  if (isFlagged(terms, 'TakeDown')) {
    return { kind: 'takedown', scope };
  }
  const periods: Period[] = [];
  const preOrder = momentAt(terms, 'PreOrderReleaseDate');
  if (typeof preOrder === 'string') {
    return { kind: 'faulty', problem: preOrder };
  }
  if (elementsAt(terms, 'ValidityPeriod').length > MAX_PERIODS) {
    const problem = `the deal in line ${terms.line} has more than ${MAX_PERIODS} periods`;
    return { kind: 'faulty', problem };
  }
  for (const element of elementsAt(terms, 'ValidityPeriod')) {
    const period = periodOf(element);
    if (typeof period === 'string') {
      return { kind: 'faulty', problem: period };
    }
    periods.push(period);
  }
  if (periods.length === 0) {
    periods.push({ from: null, until: null });
  }
  return { kind: 'grant', scope, periods: periods.map(notBefore(preOrder)).filter(isNotEmpty) };
}

/**
 * Whether a deal grants no use of all recordings of its releases: for orders in advance, also of those who get some of
 * the recordings at once, or how a platform treats videos of its users with the recordings, which may be to block them.
 */
function grantsNothing(terms: Element): boolean {
  const models = textsAt(terms, 'CommercialModelType');
  return (
    isFlagged(terms, 'IsPreOrderDeal') ||
    elementsAt(terms, 'InstantGratificationResourceList').length > 0 ||
    (models.length > 0 && models.every((model) => model === 'RightsClaimModel'))
  );
}

/** Some senders begin a deal with the orders in advance, and give the day of the release beside it. */
function notBefore(first: number | null): (period: Period) => Period {
  return ({ from, until }) => ({
    from: first === null || from === null ? (first ?? from) : Math.max(first, from),
    until,
  });
}

/** A deal that ends before it begins is how a sender cancels it before the release. */
function isNotEmpty({ from, until }: Period): boolean {
  return from === null || until === null || from < until;
}

/** Returns a sentence if what is excluded cannot be read: without it, the deal would apply to more. */
function scopeOf(terms: Element, onUnknown: (territory: string) => void): Scope | string {
  const included = elementsAt(terms, 'TerritoryCode').map(({ text }) => text.trim());
  const excludedCodes = elementsAt(terms, 'ExcludedTerritoryCode').map(({ text }) => text.trim());
  if (included.length === 0 && excludedCodes.length === 0) {
    return `the deal in line ${terms.line} names no territory`;
  }
  const excluded = new Set<string>();
  for (const code of excludedCodes) {
    const country = countryOf(code);
    if (country === undefined || country === '') {
      return `the deal in line ${terms.line} excludes the territory ${describe(code)}, which is no country of ISO 3166-1`;
    }
    excluded.add(country);
  }
  const territories = new Set<string>();
  for (const code of included) {
    const country = countryOf(code);
    if (country === undefined) {
      onUnknown(code);
    } else {
      territories.add(country);
    }
  }
  return included.length === 0 || territories.has('')
    ? allExcept(excluded)
    : minus(listOf(territories), listOf(excluded));
}

/** Returns null if the element has none of this name, and a sentence for what is no date or time. */
function momentAt(element: Element, name: string): number | null | string {
  const text = textAt(element, name);
  if (text === undefined) {
    return null;
  }
  const at = parseReleaseDate(text);
  return at === null || at === undefined
    ? `the ${name} of the deal in line ${element.line} must be a date or a time of ISO 8601; it is ${describe(text)}`
    : at;
}

/** A date includes its whole day (in UTC, because availability has no time zones), and a time is exact. */
function periodOf(period: Element): Period | string {
  const bounds: Record<string, number | null> = {};
  for (const name of ['StartDate', 'StartDateTime', 'EndDate', 'EndDateTime']) {
    const at = momentAt(period, name);
    if (typeof at === 'string') {
      return at;
    }
    bounds[name] = at;
  }
  const { StartDate, StartDateTime, EndDate, EndDateTime } = bounds;
  const from = StartDateTime ?? StartDate ?? null;
  const lastDay = EndDate ?? null;
  const until = EndDateTime ?? (lastDay === null ? null : lastDay + DAY_MS);
  if (until !== null && until >= NEVER) {
    return { from, until: null };
  }
  return { from, until };
}
