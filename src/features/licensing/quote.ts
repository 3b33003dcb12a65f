import type { By, ClientMode, Mode } from '../../common/caller.ts';
import { DAY_MS } from '../../common/clock.ts';
import {
  COUNTRIES,
  coversTerritory,
  type RegionGroup,
  TERRITORY,
  USUAL_CODES,
  WORLD,
} from '../../common/codes.ts';
import { type FieldProblem, StaveError } from '../../common/errors.ts';
import { shownBy } from '../access/made-by.ts';
import { unavailableIn } from '../availability/availability.ts';
import type { Provenance } from '../catalog/provenance.ts';
import type { TrackType } from '../catalog/track.ts';
import { FIXTURE_TRACK_ID, fixtureOf, parseDocument } from '../catalog/track-document.ts';
import type { LicensedProject } from './certificate.ts';
import type { Price, PriceStep, Use } from './price.ts';
import type { RateCard, TerritoryGroup } from './rate-card.ts';
import { endOfTerm, monthsOf } from './rate-card.ts';

/** How far in the past a license may start. */
export const LATE_START_MS = 5 * 60_000;
/** How far ahead a license may start. */
const EARLY_START_MS = 365 * DAY_MS;
/** How long a quote without a license is kept after it has expired by the clock. */
export const KEPT_MS = 400 * DAY_MS;

const NAMED_CODES = 50;
const NAMED_GROUPS = 10;

/** Times whose terms are in the years 1970 to 9999, because ids and RFC 3339 have no others. */
const FIRST_NOW = 0;
const LAST_NOW = Date.UTC(9_890, 0, 1);

/** The request of a client without its tracks, and with the defaults of absent members. */
export interface QuoteRequest extends Use {
  /** In milliseconds since the epoch; null if the license starts when it is issued. */
  startsAt: number | null;
  project: LicensedProject;
  purchaseOrder?: string;
}

/** A track that a quote or a license is about. It is live. */
export interface LicensableTrack {
  id: string;
  slug: string;
  name: string;
  type: TrackType;
  /** `WORLD`, a country, or the code of a territory of rate cards. */
  region: string;
  /** Codes of the countries in which it is available now, ascending; null for all. */
  territories: readonly string[] | null;
  filterSlugs: ReadonlySet<string>;
  /** The names of its artists without repetitions, the primary one first. */
  artists: readonly string[];
  isrc: string;
  provenance: Provenance;
}

/** A track of a quote, as JSON. */
export interface QuoteItem {
  trackId: string;
  slug: string;
  name: string;
  amountMinor: number;
  breakdown: readonly PriceStep[];
}

/** The stored terms of a quote. They never change. */
export interface QuoteTerms
  extends Pick<RateCard, 'currency' | 'minorUnit' | 'termsVersion' | 'termsUrl'>,
    Omit<Use, 'audience'> {
  items: readonly QuoteItem[];
  amountMinor: number;
  rateCard: { name: string; version: number };
  startsAt: string | null;
  /** Absent if the rate card has no steps. */
  audience?: number;
  project: LicensedProject;
  /** Absent if none was given. */
  purchaseOrder?: string;
  /** Whether the license includes stems and versions. Absent in quotes from before this could be sold. */
  parts?: boolean;
  /** Absent in quotes of before this was stored, which the client itself has made. */
  by?: By;
}

export const QUOTE_STATES = ['open', 'licensed', 'expired'] as const;

/** A stored quote. Times are in milliseconds since the epoch. */
export interface Quote extends ClientMode {
  id: string;
  terms: QuoteTerms;
  createdAt: number;
  expiresAt: number;
  licenseNumber: string | null;
}

/** What a client may still spend in this month and mode. */
export interface Spendable {
  /** That of its rate card. Licenses in other currencies do not count. */
  currency: string;
  /** At least 0. */
  remainingMinor: number;
  limit: number;
}

/** The use whose license may collide with others. */
export interface Occupation extends Pick<Use, 'media' | 'territories' | 'exclusive'> {
  startsAt: number;
  /** Null if it does not end. */
  endsAt: number | null;
}

export function unknownQuote(): StaveError {
  return new StaveError('not_found', 'You have no quote with this id.');
}

/** Throws `invalid_request` for a time at which nothing can be sold. Only a test request can state one. */
export function requireTimeOfSale(now: number): void {
  if (now >= FIRST_NOW && now < LAST_NOW) return;
  const message = 'X-Stave-Now must be in the years 1970 to 9889';
  throw new StaveError('invalid_request', `${message}.`, {
    details: [{ field: 'X-Stave-Now', message }],
  });
}

/**
 * Returns the problems of a request that its schema does not find: what the card does not sell, and the start. Members
 * may be absent, and the media may have holes, where the schema refuses them.
 */
export function problemsOf(
  { media = [], term, audience, startsAt = null }: Partial<QuoteRequest>,
  card: RateCard,
  now: number,
): FieldProblem[] {
  const unknown = media.flatMap((code, i) => (card.media.has(code) ? [] : [{ code, i }]));
  const problems = unknown.map(({ code, i }, place) =>
    // The known ones are named once, because there may be hundreds of each.
    unknownCode(`media[${i}]`, code, place === 0 ? card.media.keys() : undefined),
  );
  if (term !== undefined && !card.terms.has(term)) {
    problems.push(unknownCode('term', term, card.terms.keys()));
  }
  if (audience === undefined && card.audience.length > 0) {
    problems.push({ field: 'audience', message: 'audience is missing: the rate card has steps' });
  }
  return [...problems, ...startProblems(startsAt, now)];
}

/**
 * Returns the problems of what was sent as territories and is no country, with the groups of the card: their codes are
 * in its price, but a license names countries.
 */
export function groupProblems(given: unknown, groups: readonly TerritoryGroup[]): FieldProblem[] {
  const named = groups.filter(({ code, countries }) => countries !== null && !isTerritory(code));
  if (!Array.isArray(given) || named.length === 0) return [];
  const shownGroups = named.slice(0, NAMED_GROUPS).map(shownGroup).join(', ');
  return given.slice(0, COUNTRIES.length).flatMap((code: unknown, i): FieldProblem[] => {
    if (typeof code !== 'string') return [];
    const upper = code.toUpperCase();
    // The schema says which country such a code means.
    if (isTerritory(upper) || Object.hasOwn(USUAL_CODES, upper)) return [];
    const field = `territories[${i}]`;
    const meant = named.find((group) => group.code === upper);
    const rule =
      meant === undefined
        ? `${TERRITORY['x-rule']}; the groups of your rate card are ${shownGroups}`
        : `be a country code of ISO 3166-1; send those of the group ${shownGroup(meant)}`;
    return [{ field, message: `${field} must ${rule}` }];
  });
}

function isTerritory(code: string): boolean {
  return code === WORLD || COUNTRIES.includes(code);
}

function shownGroup({ code, countries }: TerritoryGroup): string {
  return `${code} (${[...countries!].join(', ')})`;
}

function unknownCode(
  field: string,
  code: string,
  known: Iterable<string> | undefined,
): FieldProblem {
  const rule =
    known === undefined ? 'must be one of the same' : `must be one of ${named([...known])}`;
  return { field, message: `${field} ${rule}, not ${code}` };
}

/** Names up to NAMED_CODES codes, and says how many others there are. */
function named(codes: readonly string[]): string {
  const others = codes.length - NAMED_CODES;
  const names = codes.slice(0, NAMED_CODES).join(', ');
  return others > 0 ? `${names} and ${others} others in GET /v1/rate-card` : names;
}

/** Returns the problem of a text that no rate card can have as a term. */
export function termProblems(term: string): FieldProblem[] {
  if (monthsOf(term) !== undefined) return [];
  return [
    { field: 'term', message: 'term must be such as P6M, P1Y or PERPETUAL, 100 years at most' },
  ];
}

/** Returns the problem of a start that is too early or too late. */
export function startProblems(startsAt: number | null, now: number): FieldProblem[] {
  if (startsAt === null) return [];
  if (startsAt < now - LATE_START_MS) {
    return [{ field: 'startsAt', message: 'startsAt is more than 5 minutes in the past' }];
  }
  if (startsAt > now + EARLY_START_MS) {
    return [{ field: 'startsAt', message: 'startsAt is more than 365 days ahead' }];
  }
  return [];
}

/**
 * Returns why a track may not be licensed in one of these territories: its region does not cover it, or the track is not
 * available there now. Undefined if it may be.
 *
 * @param groups of the rate card
 */
export function territoryProblem(
  track: Pick<LicensableTrack, 'region' | 'territories'>,
  territories: readonly string[],
  groups: readonly RegionGroup[],
): string | undefined {
  const outside = territories.filter((one) => !coversTerritory(track.region, one, groups));
  if (outside.length > 0) {
    return `is not licensable in ${namedCodes(outside)}: its region is ${track.region}`;
  }
  const unavailable = unavailableIn(track, territories);
  if (unavailable.length === 0) return undefined;
  return `is not licensable in ${namedCodes(unavailable)}: it is not available there now`;
}

export function namedCodes(codes: readonly string[]): string {
  return codes.slice(0, 10).join(', ') + (codes.length > 10 ? ', …' : '');
}

export function occupationOf(
  { media, territories, exclusive, term }: Omit<Use, 'audience'>,
  startsAt: number,
): Occupation {
  return { media, territories, exclusive, startsAt, endsAt: endOfTerm(startsAt, term) };
}

/** Returns a quote as JSON (docs/contract/licensing.md#quotes). */
export function shownQuote({ id, terms, createdAt, expiresAt, licenseNumber }: Quote, now: number) {
  const { items, ...others } = terms;
  return {
    id,
    status: quoteState({ licenseNumber, expiresAt }, now),
    items,
    ...others,
    purchaseOrder: terms.purchaseOrder ?? null,
    parts: terms.parts ?? false,
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
    licenseNumber,
  };
}

/**
 * Returns a quote as its client sees it.
 *
 * @param clientName the name of this client
 * @param spendable what the client may still spend; null without a limit
 */
export function quoteForClient(
  quote: Quote,
  { now, spendable, clientName }: { now: number; spendable: Spendable | null; clientName: string },
) {
  const isOfCurrency = spendable?.currency === quote.terms.currency;
  const remainingLimit = isOfCurrency ? spendable.remainingMinor : null;
  const by = shownBy(quote.terms.by, clientName);
  return { ...shownQuote(quote, now), remainingLimit, by };
}

function quoteState(
  { licenseNumber, expiresAt }: Pick<Quote, 'licenseNumber' | 'expiresAt'>,
  now: number,
): (typeof QUOTE_STATES)[number] {
  if (licenseNumber !== null) return 'licensed';
  return now < expiresAt ? 'open' : 'expired';
}

/** The price of the fixture track for any use (docs/contract/licensing.md#fixture-track). */
export const FIXTURE_PRICE: Price = {
  amountMinor: 1000,
  breakdown: [{ step: 'base', value: '1000' }],
};

/** Whether a track is the fixture that can be licensed. It is always for sale, and its licenses never collide. */
export function isFixture({ id }: { id: string }): boolean {
  return id === FIXTURE_TRACK_ID;
}

/** Returns the fixture that a caller of the mode finds by an id in lower case; undefined if it is not live. */
export function fixtureTrack(id: string, mode: Mode): LicensableTrack | undefined {
  const document = fixtureOf(id, mode)?.document;
  if (!document) return undefined;
  const { slug, name, type, region, isrc, provenance } = parseDocument(document);
  return {
    id,
    slug,
    name,
    type,
    region,
    territories: null,
    isrc,
    provenance,
    artists: [],
    filterSlugs: new Set(),
  };
}
