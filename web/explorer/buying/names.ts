import { computed } from '@preact/signals';
import type { QuoteRequest, RateCard } from '#client';
import { type Key, locale, t } from '../texts/texts.ts';
import { COUNTRIES } from './country-codes.ts';

type Territory = QuoteRequest['territories'][number];
/** The code of the whole world. */
export const WORLD = 'WORLD';

const regions = computed(() => new Intl.DisplayNames(locale(), { type: 'region' }));

/** What people call a country, a group of countries or the world. */
export function territoryName(code: string): string {
  if (code === WORLD) return t('wholeWorld');
  try {
    return regions.value.of(code) ?? code;
  } catch {
    // A group of the rate card has any name.
    return code;
  }
}

export function territoryNames(codes: readonly string[]): string {
  const names = codes.map(territoryName);
  const MANY = 6;
  return names.length <= MANY
    ? names.join(', ')
    : `${names.slice(0, MANY - 1).join(', ')}, ${t('more', { n: names.length - MANY + 1 })}`;
}

/** The countries of which a card sells licenses, sorted by name, and whether it sells those of the whole world. */
export function soldBy({ territories }: RateCard): { countries: string[]; isWorldSold: boolean } {
  const isWorldSold = territories.some(({ countries }) => countries === null);
  const named = new Set(territories.flatMap(({ countries }) => countries ?? []));
  const sold = isWorldSold ? COUNTRIES : [...named];
  const order = new Intl.Collator(locale());
  const countries = [...sold].sort((a, b) => order.compare(territoryName(a), territoryName(b)));
  return { countries, isWorldSold };
}

export function asTerritories(codes: readonly string[]): Territory[] {
  // Only the service knows which codes it accepts.
  return codes as Territory[];
}

const MEDIA = {
  online: 'mediaOnline',
  social: 'mediaSocial',
  broadcast: 'mediaBroadcast',
  tv: 'mediaTv',
  radio: 'mediaRadio',
  cinema: 'mediaCinema',
  podcast: 'mediaPodcast',
  advertising: 'mediaAdvertising',
  games: 'mediaGames',
  events: 'mediaEvents',
} as const satisfies Record<string, Key>;

/** What people call a medium of the rate card. Of codes that only the licensor knows, it is the code in words. */
export function mediumName(code: string): string {
  if (code in MEDIA) return t(MEDIA[code as keyof typeof MEDIA]);
  const words = code.replaceAll(/[-_]+/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const UNITS: Readonly<Record<string, string>> = { Y: 'year', M: 'month', W: 'week', D: 'day' };

/** The term of a license for people: `P1Y` is one year. */
export function termName(term: string): string {
  if (term === 'PERPETUAL') return t('perpetual');
  const [, count, unit] = /^P(\d+)([YMWD])$/.exec(term) ?? [];
  if (unit === undefined) return term;
  const format = { style: 'unit', unit: UNITS[unit]!, unitDisplay: 'long' } as const;
  return new Intl.NumberFormat(locale(), format).format(Number(count));
}

/** An amount in minor units, with its currency. */
export function money(
  amountMinor: number,
  { currency, minorUnit }: { currency: string; minorUnit: number },
): string {
  const format = new Intl.NumberFormat(locale(), { style: 'currency', currency });
  return format.format(amountMinor / 10 ** minorUnit);
}
