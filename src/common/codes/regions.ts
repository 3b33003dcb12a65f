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
