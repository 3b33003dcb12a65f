import type { TrackType } from '../catalog/track.ts';
import { contains, type RateCard } from './rate-card.ts';

export const MAX_QUOTED_TRACKS = 100;

/** The use that all items of a quote share. Its media and its term are in the card. */
export interface Use {
  media: readonly string[];
  /** Countries, or only `WORLD`. */
  territories: readonly string[];
  term: string;
  /** Needed if the card has steps, and otherwise ignored. */
  audience: number | undefined;
  /** True only if the card sells exclusive licenses. */
  exclusive: boolean;
}

export interface PricedTrack {
  type: TrackType;
  filterSlugs: ReadonlySet<string>;
}

/** One line of the breakdown of a price, as JSON. `value` is a decimal text, of `base` and `minimum` an amount. */
export type PriceStep =
  | { step: 'base' | 'exclusive' | 'minimum'; value: string }
  | { step: 'media'; codes: readonly string[]; value: string }
  | { step: 'territory' | 'term'; code: string; value: string }
  | { step: 'audience'; upTo: number | null; value: string }
  | { step: 'surcharge'; filterSlug: string; value: string }
  | { step: 'volume'; from: number; value: string };

/** The price of an item, net of tax. */
export interface Price {
  /** In minor units of the currency of the card. */
  amountMinor: number;
  breakdown: readonly PriceStep[];
}

/**
 * Returns the cheapest group of a card that contains all of the territories, and of equal ones the first; undefined if
 * none does.
 */
export function territoryOf(card: RateCard, territories: readonly string[]) {
  return card.territories
    .filter((group) => territories.every((territory) => contains(group, territory)))
    .reduce<RateCard['territories'][number] | undefined>(
      (best, group) => (best === undefined || group.factor < best.factor ? group : best),
      undefined,
    );
}

/**
 * Returns what an item costs in a quote of so many tracks; undefined if its type, or the territories together, have no
 * price. The product of all factors is rounded half up once, and then raised to the minimum of the card
 * (docs/contract/licensing.md#price).
 */
export function priceOf(
  card: RateCard,
  use: Use,
  track: PricedTrack,
  trackCount: number,
): Price | undefined {
  const base = card.base[track.type];
  const territory = territoryOf(card, use.territories);
  if (base === undefined || territory === undefined) return undefined;
  const steps: PriceStep[] = [];
  const factors: bigint[] = [];
  const apply = (factor: bigint, stepOf: (value: string) => PriceStep) => {
    factors.push(factor);
    steps.push(stepOf(factorText(factor)));
  };
  apply(mediaFactor(card, use.media), (value) => ({ step: 'media', codes: use.media, value }));
  apply(territory.factor, (value) => ({ step: 'territory', code: territory.code, value }));
  apply(card.terms.get(use.term)!, (value) => ({ step: 'term', code: use.term, value }));
  const audience = card.audience.find(({ upTo }) => upTo === null || use.audience! <= upTo);
  if (audience !== undefined) {
    const { upTo, factor } = audience;
    apply(factor, (value) => ({ step: 'audience', upTo, value }));
  }
  if (use.exclusive) apply(card.exclusive!, (value) => ({ step: 'exclusive', value }));
  for (const { filterSlug, factor } of card.surcharges) {
    if (!track.filterSlugs.has(filterSlug)) continue;
    apply(factor, (value) => ({ step: 'surcharge', filterSlug, value }));
  }
  const volume = card.volume.findLast(({ from }) => from <= trackCount);
  if (volume !== undefined) {
    const { from, factor } = volume;
    apply(factor, (value) => ({ step: 'volume', from, value }));
  }
  const amount = Number(timesRounded(BigInt(base), factors));
  const breakdown: PriceStep[] = [{ step: 'base', value: String(base) }, ...steps];
  if (amount < card.minimumMinor) {
    breakdown.push({ step: 'minimum', value: String(card.minimumMinor) });
  }
  return { amountMinor: Math.max(amount, card.minimumMinor), breakdown };
}

function mediaFactor({ media, mediaCap }: RateCard, codes: readonly string[]): bigint {
  const sum = codes.reduce((total, code) => total + media.get(code)!, 0n);
  return mediaCap !== null && sum > mediaCap ? mediaCap : sum;
}

/** Returns an upper bound of the amount of a quote: the most tracks, each with the greatest factors of the card. */
export function maxQuoteAmount(card: RateCard): bigint {
  const greatest = (factors: readonly bigint[], least = 0n) =>
    factors.reduce((most, factor) => (factor > most ? factor : most), least);
  const base = Math.max(...Object.values(card.base));
  const factors = [
    mediaFactor(card, [...card.media.keys()]),
    greatest(card.territories.map(({ factor }) => factor)),
    greatest([...card.terms.values()]),
    // A step that does not apply leaves the price as it is.
    card.audience.length === 0 ? ONE : greatest(card.audience.map(({ factor }) => factor)),
    greatest(card.exclusive === null ? [] : [card.exclusive], ONE),
    ...card.surcharges.map(({ factor }) => greatest([factor], ONE)),
    greatest(
      card.volume.map(({ factor }) => factor),
      ONE,
    ),
  ];
  const item = timesRounded(BigInt(base), factors);
  const minimum = BigInt(card.minimumMinor);
  return BigInt(MAX_QUOTED_TRACKS) * (item > minimum ? item : minimum);
}

const DECIMALS = 4;
const ONE = 10n ** BigInt(DECIMALS);

const FORM = /^(0|[1-9]\d{0,5})(?:\.(\d{1,4}))?$/;

/**
 * Returns a decimal text such as `2.5` in ten-thousandths; undefined for any other text. Prices are computed with these
 * integers, because a binary fraction has no exact value for most decimals.
 */
export function parseFactor(text: string): bigint | undefined {
  const match = FORM.exec(text);
  if (match === null) return undefined;
  const [, whole, decimals = ''] = match;
  return BigInt(whole! + decimals.padEnd(DECIMALS, '0'));
}

/** Returns the decimal text of a factor, without zeros at the end. */
export function factorText(factor: bigint): string {
  const decimals = (factor % ONE).toString().padStart(DECIMALS, '0').replace(/0+$/, '');
  return `${factor / ONE}${decimals && `.${decimals}`}`;
}

/** Returns the product of an integer and factors, rounded half up once. None of them is negative. */
export function timesRounded(integer: bigint, factors: readonly bigint[]): bigint {
  const dividend = factors.reduce((product, factor) => product * factor, integer);
  const divisor = ONE ** BigInt(factors.length);
  return (2n * dividend + divisor) / (2n * divisor);
}
