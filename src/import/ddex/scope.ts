import { COUNTRIES } from '../../common/countries.ts';

/** Where something applies: in a list of the countries of `COUNTRIES`, or everywhere except in those of a list. */
export interface Scope {
  /** Null means everywhere. */
  territories: ReadonlySet<string> | null;
  /** Empty unless `territories` is null. */
  excluded: ReadonlySet<string>;
}

const NONE: ReadonlySet<string> = new Set();

/** The scope of these countries. */
export function listOf(territories: ReadonlySet<string>): Scope {
  return { territories, excluded: NONE };
}

/** The scope of all countries except these. */
export function allExcept(excluded: ReadonlySet<string>): Scope {
  return { territories: null, excluded };
}

/** Where one of two scopes applies. */
export function union(one: Scope, other: Scope): Scope {
  if (one.territories !== null && other.territories !== null) {
    return listOf(new Set([...one.territories, ...other.territories]));
  }
  if (one.territories === null && other.territories === null) {
    return allExcept(those(one.excluded, (country) => other.excluded.has(country)));
  }
  const [everywhere, list] = one.territories === null ? [one, other] : [other, one];
  return allExcept(those(everywhere.excluded, (country) => !list.territories!.has(country)));
}

/** Where `scope` applies and `removed` does not. */
export function minus(scope: Scope, removed: Scope): Scope {
  if (scope.territories !== null) {
    return listOf(those(scope.territories, (country) => !includes(removed, country)));
  }
  if (removed.territories !== null) {
    return allExcept(new Set([...scope.excluded, ...removed.territories]));
  }
  return listOf(those(removed.excluded, (country) => !scope.excluded.has(country)));
}

/** Whether the scope applies nowhere. */
export function isNowhere({ territories, excluded }: Scope): boolean {
  return territories === null ? excluded.size >= COUNTRIES.length : territories.size === 0;
}

function includes({ territories, excluded }: Scope, country: string): boolean {
  return territories === null ? !excluded.has(country) : territories.has(country);
}

function those(countries: ReadonlySet<string>, are: (country: string) => boolean): Set<string> {
  return new Set([...countries].filter(are));
}
