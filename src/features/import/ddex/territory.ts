import { COUNTRIES } from '../../../common/codes/countries.ts';

const KNOWN: ReadonlySet<string> = new Set(COUNTRIES);
/** Everywhere, as a message names it: the word of DDEX, or the code of CISAC's Territory Information System. */
const WORLDWIDE: ReadonlySet<string> = new Set(['WORLDWIDE', '2136']);

/**
 * Returns the country that a `TerritoryCode` names (ISO 3166-1 alpha-2), `''` for the whole world, and undefined for what
 * is neither: a subdivision (`US-CA`), a group of countries, or a code that is not in ISO 3166-1 (`XK`).
 */
export function countryOf(text: string): string | undefined {
  const code = text.trim().toUpperCase();
  if (WORLDWIDE.has(code)) {
    return '';
  }
  const country = /^\d{1,3}$/.test(code) ? countryOfNumber(code.padStart(3, '0')) : code;
  return KNOWN.has(country) ? country : undefined;
}

/** Converts a numeric code of ISO 3166-1, which the codes of CISAC for countries are. */
function countryOfNumber(code: string): string {
  return Intl.getCanonicalLocales(`und-${code}`)[0]!.slice('und-'.length);
}
