import type { RegionGroup } from '../../common/codes.ts';
import { StaveError } from '../../common/errors.ts';
import { didYouMean } from '../../common/text/explain.ts';
import type { TrackType } from '../catalog/track.ts';

/** A group without `countries` contains every country, and the world. */
export interface TerritoryGroup extends RegionGroup {
  factor: bigint;
}

/** Factors are in ten-thousandths (`parseFactor`), amounts in minor units of the currency. */
export interface RateCard {
  name: string;
  /** ISO 4217. */
  currency: string;
  /** The number of decimals of the currency. */
  minorUnit: number;
  termsVersion: string;
  termsUrl: string;
  quoteDays: number;
  /** The least amount of an item. */
  minimumMinor: number;
  /** A type without a base is not licensable. */
  base: Readonly<Partial<Record<TrackType, number>>>;
  /** In the order of the card, as are the other lists. */
  media: ReadonlyMap<string, bigint>;
  /** The greatest sum of the factors of media; null if it is not limited. */
  mediaCap: bigint | null;
  territories: readonly TerritoryGroup[];
  terms: ReadonlyMap<string, bigint>;
  /** Ascending. The last one has no bound. Empty if the audience does not count. */
  audience: readonly { upTo: number | null; factor: bigint }[];
  /** Null if exclusive licenses are not sold. */
  exclusive: bigint | null;
  surcharges: readonly { filterSlug: string; factor: bigint }[];
  /** Ascending. */
  volume: readonly { from: number; factor: bigint }[];
  /** Whether licenses include the stems and versions of their tracks. */
  parts: boolean;
}

/** A version of a rate card. It is never edited. */
export interface PublishedRateCard {
  card: RateCard;
  /** From 1. */
  version: number;
}

/** A version of a rate card, for the operator. Times are in milliseconds since the epoch. */
export interface RateCardRecord {
  name: string;
  version: number;
  document: string;
  publishedAt: number;
  withdrawnAt: number | null;
  by: string;
  /** Whether it prices new quotes. */
  isInForce: boolean;
}

/** @param names those of all rate cards, to suggest one */
export function unknownRateCard(
  name: string,
  version: number | undefined,
  names: readonly string[],
): StaveError {
  const label = version === undefined ? name : `${name}@${version}`;
  const hint = names.includes(name) ? '' : didYouMean(name, names);
  return new StaveError(
    'not_found',
    `There is no rate card ${label}${hint}; \`stave rate-cards list\` shows them all.`,
  );
}

export function contains({ countries }: TerritoryGroup, territory: string): boolean {
  return countries === null || countries.has(territory);
}

/** Returns a rate card as partners see it, without factors (docs/contract/licensing.md#rate-card). */
export function shownRateCard({ card, version }: PublishedRateCard) {
  return {
    name: card.name,
    version,
    currency: card.currency,
    minorUnit: card.minorUnit,
    media: [...card.media.keys()],
    territories: card.territories.map(({ code, countries }) => ({
      code,
      countries: countries && [...countries],
    })),
    terms: [...card.terms.keys()],
    audience: card.audience.map(({ upTo }) => upTo),
    exclusive: card.exclusive !== null,
    termsVersion: card.termsVersion,
    termsUrl: card.termsUrl,
  };
}

const FORM = /^P([1-9]\d{0,3})([MY])$/;
/** The longest term that ends. */
const MAX_MONTHS = 1_200;

/** Returns the months of a term: `P6M` has 6, `P2Y` 24, and PERPETUAL null. Undefined for any other text. */
export function monthsOf(term: string): number | null | undefined {
  if (term === 'PERPETUAL') return null;
  const [, count, unit] = FORM.exec(term) ?? [];
  if (count === undefined) return undefined;
  const months = Number(count) * (unit === 'Y' ? 12 : 1);
  return months <= MAX_MONTHS ? months : undefined;
}

/**
 * Returns the end of a term in the calendar of UTC, in milliseconds since the epoch; null if it does not end. A day that
 * the last month does not have is its last day: 31 January and a month make 28 February. Throws a RangeError for a text
 * that is no term.
 */
export function endOfTerm(startsAt: number, term: string): number | null {
  const months = monthsOf(term);
  if (months === undefined) throw new RangeError(`${term} is not a term.`);
  if (months === null) return null;
  const end = new Date(startsAt);
  const day = end.getUTCDate();
  end.setUTCDate(1);
  end.setUTCMonth(end.getUTCMonth() + months);
  end.setUTCDate(Math.min(day, daysInMonth(end)));
  return end.getTime();
}

function daysInMonth(date: Date): number {
  const last = new Date(date);
  last.setUTCMonth(last.getUTCMonth() + 1, 0);
  return last.getUTCDate();
}
