import codes from './codes.json' with { type: 'json' };

/**
 * The 249 assigned country codes of ISO 3166-1 alpha-2, in upper case. Codes that are only reserved (`UK`, `EU`) or
 * chosen by users (`XK`) are not among them.
 */
export const COUNTRIES: readonly string[] = codes.countries.split(' ');

/** What others call a country, and its assigned code. */
export const USUAL_CODES: Readonly<Record<string, string>> = { UK: 'GB', EL: 'GR' };

/** How a schema refuses a text that is neither `WORLD` nor the code of a country. */
export const TERRITORY = {
  'x-rule': 'be WORLD or a country code of ISO 3166-1 in upper case, such as DE',
  'x-meant': USUAL_CODES,
};

/**
 * The currencies of ISO 4217 by their number of decimals (minor unit), as of 2026. `Intl` is not used, because Node
 * gives HUF, IQD and MGA no decimals, and ISO 4217 gives them 2, 3 and 2. Codes without a minor unit, such as XAU, are
 * not among them. A code that ISO 4217 withdraws stays, because stored rate cards may have it.
 */
const MINOR_UNITS: ReadonlyMap<string, number> = new Map(
  Object.entries(codes.currenciesByMinorUnit).flatMap(([minorUnit, currencies]) =>
    currencies.split(' ').map((currency) => [currency, Number(minorUnit)]),
  ),
);

/** Returns the number of decimals of a currency; undefined for a code that is not in ISO 4217, or not in upper case. */
export function minorUnitOf(currency: string): number | undefined {
  return MINOR_UNITS.get(currency);
}

/** The region of a track that may be used everywhere, and the territory that contains every country. */
export const WORLD = 'WORLD';

/** A group of countries that a region of tracks may name, as a rate card defines it. */
export interface RegionGroup {
  code: string;
  /** Codes of ISO 3166-1; null if the group contains every country. */
  countries: ReadonlySet<string> | null;
}

/**
 * Whether a region covers a territory, which is a country or WORLD: the region is WORLD, or the territory, or a group
 * that lists the territory or has no countries.
 */
export function coversTerritory(
  region: string,
  territory: string,
  groups: readonly RegionGroup[],
): boolean {
  return (
    region === WORLD ||
    region === territory ||
    groups.some(
      ({ code, countries }) => code === region && (countries === null || countries.has(territory)),
    )
  );
}

/** The regions that cover each of the territories, of which there is at least one; ascending. */
export function regionsCovering(
  territories: readonly string[],
  groups: readonly RegionGroup[],
): string[] {
  const candidates = new Set([WORLD, ...territories, ...groups.map(({ code }) => code)]);
  return [...candidates]
    .filter((region) =>
      territories.every((territory) => coversTerritory(region, territory, groups)),
    )
    .sort();
}
