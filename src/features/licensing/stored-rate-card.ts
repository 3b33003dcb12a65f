import { minorUnitOf } from '../../common/codes.ts';
import { OperatorError } from '../../common/errors.ts';
import { TRACK_TYPES } from '../catalog/track-fields.ts';
import { parseFactor } from './price.ts';
import type { RateCard, TerritoryGroup } from './rate-card.ts';

/** The members of a rate card that always exist. */
export const REQUIRED_MEMBERS = [
  'name',
  'currency',
  'termsVersion',
  'termsUrl',
  'quoteDays',
  'minimumMinor',
  'base',
  'media',
  'territories',
  'terms',
] as const;
/** The others. */
export const OPTIONAL_MEMBERS = [
  'mediaCap',
  'audience',
  'exclusive',
  'surcharges',
  'volume',
] as const;

/** A rate card as it was published. */
interface StoredCard {
  name: string;
  currency: string;
  termsVersion: string;
  termsUrl: string;
  quoteDays: number;
  minimumMinor: number;
  base: RateCard['base'];
  media: Record<string, string>;
  mediaCap?: string;
  territories: { code: string; countries?: string[]; factor: string }[];
  terms: Record<string, string>;
  audience?: { upTo: number | null; factor: string }[];
  exclusive?: string;
  surcharges?: { filterSlug: string; factor: string }[];
  volume?: { from: number; factor: string }[];
}

/**
 * Reads a card that was checked when it was published. The rules of `parseRateCard` are not applied again, because a
 * version with stricter ones must price by the cards of earlier versions. Throws OperatorError for a member that this
 * version does not know, because a newer one may price by it, and for what has no price.
 *
 * @param document JSON
 */
export function readStoredCard(document: string): RateCard {
  return reading(() => {
    const card = known<StoredCard>(JSON.parse(document), [
      ...REQUIRED_MEMBERS,
      ...OPTIONAL_MEMBERS,
    ]);
    const minorUnit = minorUnitOf(card.currency);
    if (minorUnit === undefined) throw new Error(`the currency ${card.currency} is unknown`);
    return {
      name: card.name,
      currency: card.currency,
      minorUnit,
      termsVersion: card.termsVersion,
      termsUrl: card.termsUrl,
      quoteDays: integer(card.quoteDays),
      minimumMinor: integer(card.minimumMinor),
      base: baseOf(card.base),
      media: factors(card.media),
      mediaCap: card.mediaCap === undefined ? null : factor(card.mediaCap),
      territories: groups(
        card.territories.map((group) => known(group, ['code', 'countries', 'factor'])),
      ),
      terms: factors(card.terms),
      audience: (card.audience ?? []).map((step) => ({
        upTo: step.upTo === null ? null : integer(step.upTo),
        factor: factor(known(step, ['upTo', 'factor']).factor),
      })),
      exclusive: card.exclusive === undefined ? null : factor(card.exclusive),
      surcharges: (card.surcharges ?? []).map((one) => ({
        filterSlug: one.filterSlug,
        factor: factor(known(one, ['filterSlug', 'factor']).factor),
      })),
      volume: (card.volume ?? []).map((step) => ({
        from: integer(step.from),
        factor: factor(known(step, ['from', 'factor']).factor),
      })),
    };
  });
}

/** Reads only the groups of countries of such a card, also of one that a newer version has published. */
export function groupsOfStoredCard(document: string): readonly TerritoryGroup[] {
  return reading(() => groups((JSON.parse(document) as StoredCard).territories));
}

function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    const reason = (error as Error).message.replace(/\s+/g, ' ').slice(0, 200);
    throw new OperatorError(`the stored rate card cannot be read: ${reason}`, { cause: error });
  }
}

/** Throws if an object has other members. */
function known<T extends object>(value: T, names: readonly string[]): T {
  const other = Object.keys(value).find((name) => !names.includes(name));
  if (other === undefined) return value;
  throw new Error(`this version of Stave does not know the member ${other.slice(0, 100)}`);
}

function integer(value: number): number {
  if (!Number.isSafeInteger(value)) throw new Error(`${value} is no whole number`);
  return value;
}

function factor(text: string): bigint {
  const parsed = parseFactor(text);
  if (parsed === undefined) throw new Error(`${text} is no factor`);
  return parsed;
}

function factors(members: Record<string, string>): ReadonlyMap<string, bigint> {
  return new Map(Object.entries(members).map(([code, text]) => [code, factor(text)]));
}

function baseOf(base: StoredCard['base']): RateCard['base'] {
  return Object.fromEntries(
    Object.entries(known(base, TRACK_TYPES)).map(([type, amount]) => [type, integer(amount)]),
  );
}

function groups(territories: StoredCard['territories']): TerritoryGroup[] {
  return territories.map(({ code, countries, factor: text }) => ({
    code,
    countries: countries === undefined ? null : new Set(countries),
    factor: factor(text),
  }));
}
