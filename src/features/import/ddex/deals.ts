import { DAY_MS } from '../../../common/clock.ts';
import { COUNTRIES } from '../../../common/codes.ts';
import { MAX_ENTRIES } from '../../availability/availability.ts';
import { NEVER, parseReleaseDate } from '../canonical/release-date.ts';
import { COUNTRY_CODES } from '../canonical/territory-words.ts';
import { describe } from '../record.ts';
import { type Element, elementsAt, isFlagged, textAt, textsAt } from './element.ts';

const MAX_PERIODS = 100;

export type Deal =
  | { kind: 'takedown'; scope: Scope }
  | { kind: 'grant'; scope: Scope; periods: readonly Period[] }
  | { kind: 'faulty'; problem: string };

/** In milliseconds since the epoch; null is unbounded. `from` is included, `until` is not. */
export interface Period {
  from: number | null;
  until: number | null;
}

/**
 * Reads the deals of a `Deal`: one for each `DealTerms` that grants or ends a use. Calls `onUnknown` with each territory that is no country: a deal
 * does not apply there. Which use they permit (`CommercialModelType`, `UseType`) does not
 * matter, because the partners of Stave use a track in products of their own.
 */
export function dealsOf(deal: Element, onUnknown: (territory: string) => void): Deal[] {
  const terms = elementsAt(deal, 'DealTerms').filter((one) => !grantsNothing(one));
  return terms.map((one): Deal => {
    try {
      return dealOf(one, onUnknown);
    } catch (error) {
      if (error instanceof FaultyDeal) return { kind: 'faulty', problem: error.message };
      throw error;
    }
  });
}

/** What a deal says cannot be read. The message is a sentence. */
class FaultyDeal extends Error {}

function dealOf(terms: Element, onUnknown: (territory: string) => void): Deal {
  const scope = scopeOf(terms, onUnknown);
  if (isFlagged(terms, 'TakeDown')) {
    return { kind: 'takedown', scope };
  }
  const preOrder = momentAt(terms, 'PreOrderReleaseDate');
  const elements = elementsAt(terms, 'ValidityPeriod');
  if (elements.length > MAX_PERIODS) {
    throw new FaultyDeal(`the deal in line ${terms.line} has more than ${MAX_PERIODS} periods`);
  }
  const periods = elements.length === 0 ? [{ from: null, until: null }] : elements.map(periodOf);
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

/** Throws FaultyDeal if what is excluded cannot be read: without it, the deal would apply to more. */
function scopeOf(terms: Element, onUnknown: (territory: string) => void): Scope {
  const included = elementsAt(terms, 'TerritoryCode').map(({ text }) => text.trim());
  const excludedCodes = elementsAt(terms, 'ExcludedTerritoryCode').map(({ text }) => text.trim());
  if (included.length === 0 && excludedCodes.length === 0) {
    throw new FaultyDeal(`the deal in line ${terms.line} names no territory`);
  }
  const excluded = new Set<string>();
  for (const code of excludedCodes) {
    const country = countryOf(code);
    if (country === undefined || country === '') {
      throw new FaultyDeal(
        `the deal in line ${terms.line} excludes the territory ${describe(code)}, which is no country of ISO 3166-1`,
      );
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
    ? EVERYWHERE & ~scopeOfList(excluded)
    : scopeOfList(territories) & ~scopeOfList(excluded);
}

/** Returns null if the element has none of this name. Throws FaultyDeal for what is no date or time. */
function momentAt(element: Element, name: string): number | null {
  const text = textAt(element, name);
  if (text === undefined) {
    return null;
  }
  const at = parseReleaseDate(text);
  if (at === null || at === undefined) {
    const rule = 'must be a date or a time of ISO 8601';
    throw new FaultyDeal(
      `the ${name} of the deal in line ${element.line} ${rule}; it is ${describe(text)}`,
    );
  }
  return at;
}

/** A date includes its whole day (in UTC, because availability has no time zones), and a time is exact. */
function periodOf(period: Element): Period {
  const [startDate, startTime, endDate, endTime] = [
    'StartDate',
    'StartDateTime',
    'EndDate',
    'EndDateTime',
  ].map((name) => momentAt(period, name));
  const from = startTime ?? startDate ?? null;
  const lastDay = endDate ?? null;
  const until = endTime ?? (lastDay === null ? null : lastDay + DAY_MS);
  return { from, until: until !== null && until >= NEVER ? null : until };
}

/** The releases of one recording whose deals are united, and their different periods before any is left out. */
const MAX_RELEASES = 50;
const MAX_UNITED_PERIODS = 2 * MAX_ENTRIES;

interface Grant {
  key: string;
  period: Period;
  scope: Scope;
}

/** What the deals of one release amount to. Deals of one period become one, so that thousands take little memory. */
export class ReleaseDeals {
  readonly #grants = new Map<string, Grant>();
  #takenDown: Scope = 0n;
  /** Why a deal cannot be read; undefined if all can. */
  problem: string | undefined;

  add(deal: Deal): void {
    switch (deal.kind) {
      case 'faulty':
        this.problem ??= deal.problem;
        break;
      case 'takedown':
        this.#takenDown |= deal.scope;
        break;
      case 'grant':
        for (const period of deal.periods) {
          this.#grant(period, deal.scope);
        }
        break;
    }
  }

  /** The grants, without the countries in which the release is taken down. */
  grants(): Grant[] {
    return [...this.#grants.values()].map(({ scope, ...grant }) => ({
      ...grant,
      scope: scope & ~this.#takenDown,
    }));
  }

  #grant(period: Period, scope: Scope): void {
    const key = `${period.from}|${period.until}`;
    const known = this.#grants.get(key);
    if (known !== undefined) {
      known.scope |= scope;
    } else if (this.#grants.size < MAX_ENTRIES) {
      this.#grants.set(key, { key, period, scope });
    } else {
      this.problem ??= `the deals have more than ${MAX_ENTRIES} different periods`;
    }
  }
}

interface Entry {
  territories?: string[];
  excludedTerritories?: string[];
  from?: string;
  until?: string;
}

export interface Availability {
  /** `[]` means always and everywhere. */
  availability: Entry[];
  /** `WORLD` or one country; undefined if it is neither. */
  region: string | undefined;
  /** When the first deal begins, in milliseconds since the epoch; null if that is unbounded. */
  from: number | null;
}

/** Unites the deals of all releases of a recording. Undefined if none of them applies at `now` or later. */
export function availabilityOf(
  releases: readonly ReleaseDeals[],
  now: number,
): Availability | { problem: string } | undefined {
  const faulty = releases.find(({ problem }) => problem !== undefined);
  if (faulty !== undefined) {
    return { problem: faulty.problem! };
  }
  if (releases.length > MAX_RELEASES) {
    return { problem: `the recording is in more than ${MAX_RELEASES} releases with deals` };
  }
  const grants = united(releases).filter(
    ({ period, scope }) => !isNowhere(scope) && (period.until === null || period.until > now),
  );
  if (grants.length === 0) {
    return undefined;
  }
  const crowded = { problem: `the deals have more than ${MAX_ENTRIES} different periods` };
  if (grants.length > MAX_UNITED_PERIODS) {
    return crowded;
  }
  const least = grants.filter((grant) => !grants.some((other) => isCovered(grant, other)));
  if (least.length > MAX_ENTRIES) {
    return crowded;
  }
  const availability = least.map(entryOf);
  const isAlways = availability.length === 1 && Object.keys(availability[0]!).length === 0;
  return {
    availability: isAlways ? [] : availability,
    region: regionOf(least),
    from: earliest(least),
  };
}

function united(releases: readonly ReleaseDeals[]): Grant[] {
  const byPeriod = new Map<string, Grant>();
  for (const grant of releases.flatMap((release) => release.grants())) {
    const known = byPeriod.get(grant.key);
    const scope = grant.scope | (known?.scope ?? 0n);
    byPeriod.set(grant.key, { ...grant, scope });
  }
  return [...byPeriod.values()];
}

/** Whether `other` grants all that `grant` does. No two grants have the same period. */
function isCovered(grant: Grant, other: Grant): boolean {
  return (
    grant !== other &&
    (other.period.from ?? -Infinity) <= (grant.period.from ?? -Infinity) &&
    (other.period.until ?? Infinity) >= (grant.period.until ?? Infinity) &&
    isNowhere(grant.scope & ~other.scope)
  );
}

function entryOf({ period, scope }: Grant): Entry {
  const { isExcluding, codes } = codesOf(scope);
  return {
    ...(!isExcluding && { territories: codes }),
    ...(isExcluding && codes.length > 0 && { excludedTerritories: codes }),
    ...(period.from !== null && { from: new Date(period.from).toISOString() }),
    ...(period.until !== null && { until: new Date(period.until).toISOString() }),
  };
}

function regionOf(grants: readonly Grant[]): string | undefined {
  const whole = grants.reduce((scope, grant) => scope | grant.scope, 0n);
  const { isExcluding, codes } = codesOf(whole);
  if (isExcluding) return codes.length === 0 ? 'WORLD' : undefined;
  return codes.length === 1 ? codes[0] : undefined;
}

function earliest(grants: readonly Grant[]): number | null {
  const starts = grants.map(({ period }) => period.from);
  return starts.includes(null) ? null : Math.min(...starts.map(Number));
}

/**
 * Where something applies. A message can have millions of scopes, so the bits of a number are the countries, in the order
 * of `COUNTRIES`, and the rest of the world.
 */
type Scope = bigint;

const BITS: ReadonlyMap<string, bigint> = new Map(
  COUNTRIES.map((country, i) => [country, 1n << BigInt(i)]),
);
const REST = 1n << BigInt(COUNTRIES.length);
const COUNTRY_BITS = REST - 1n;
const EVERYWHERE = REST | COUNTRY_BITS;

function scopeOfList(countries: Iterable<string>): Scope {
  let bits = 0n;
  for (const country of countries) {
    bits |= BITS.get(country)!;
  }
  return bits;
}

function isNowhere(scope: Scope): boolean {
  return (scope & COUNTRY_BITS) === 0n;
}

/** The territories where the scope applies, or those that are excluded if it includes the rest of the world. */
function codesOf(scope: Scope): { isExcluding: boolean; codes: string[] } {
  const isExcluding = (scope & REST) !== 0n;
  const bits = isExcluding ? ~scope : scope;
  return { isExcluding, codes: COUNTRIES.filter((code) => (BITS.get(code)! & bits) !== 0n) };
}

/** Everywhere, as a message names it: the word of DDEX, or the code of CISAC's Territory Information System. */
const WORLDWIDE: ReadonlySet<string> = new Set(['WORLDWIDE', '2136']);

/**
 * Returns the country that a `TerritoryCode` names (ISO 3166-1 alpha-2), `''` for the whole world, and undefined for what
 * is neither: a subdivision (`US-CA`), a group of countries, or a code that is not in ISO 3166-1 (`XK`).
 */
function countryOf(text: string): string | undefined {
  const code = text.trim().toUpperCase();
  if (WORLDWIDE.has(code)) {
    return '';
  }
  const country = /^\d{1,3}$/.test(code) ? countryOfNumber(code.padStart(3, '0')) : code;
  return COUNTRY_CODES.has(country) ? country : undefined;
}

/** Converts a numeric code of ISO 3166-1, which the codes of CISAC for countries are. */
function countryOfNumber(code: string): string {
  return Intl.getCanonicalLocales(`und-${code}`)[0]!.slice('und-'.length);
}
