import { COUNTRIES } from '../../../common/codes/countries.ts';

/**
 * Where something applies. A message can have millions of scopes, so countries are the bits of a number, in the order of
 * `COUNTRIES`.
 */
export interface Scope {
  countries: bigint;
  /** Whether the scope is everywhere except in `countries`. */
  isExcluding: boolean;
}

const BITS: ReadonlyMap<string, bigint> = new Map(
  COUNTRIES.map((country, i) => [country, 1n << BigInt(i)]),
);
const ALL = (1n << BigInt(COUNTRIES.length)) - 1n;

/** The scope of these countries, all of which `COUNTRIES` contains. */
export function listOf(countries: Iterable<string>): Scope {
  return { countries: bitsOf(countries), isExcluding: false };
}

/** The scope of all countries except these. */
export function allExcept(countries: Iterable<string>): Scope {
  return { countries: bitsOf(countries), isExcluding: true };
}

/** Where one of two scopes applies. */
export function union(one: Scope, other: Scope): Scope {
  if (one.isExcluding && other.isExcluding) {
    return { countries: one.countries & other.countries, isExcluding: true };
  }
  if (!one.isExcluding && !other.isExcluding) {
    return { countries: one.countries | other.countries, isExcluding: false };
  }
  const [everywhere, list] = one.isExcluding ? [one, other] : [other, one];
  return { countries: everywhere.countries & ~list.countries, isExcluding: true };
}

/** Where `scope` applies and `removed` does not. */
export function minus(scope: Scope, removed: Scope): Scope {
  if (!scope.isExcluding) {
    return { countries: scope.countries & ~included(removed), isExcluding: false };
  }
  return removed.isExcluding
    ? { countries: removed.countries & ~scope.countries, isExcluding: false }
    : { countries: scope.countries | removed.countries, isExcluding: true };
}

/** Whether the scope applies nowhere. */
export function isNowhere(scope: Scope): boolean {
  return included(scope) === 0n;
}

/** The codes of `countries`, in the order of `COUNTRIES`. */
export function codesOf({ countries }: Scope): string[] {
  return COUNTRIES.filter((country) => (BITS.get(country)! & countries) !== 0n);
}

function bitsOf(countries: Iterable<string>): bigint {
  let bits = 0n;
  for (const country of countries) {
    bits |= BITS.get(country)!;
  }
  return bits;
}

/** The countries where the scope applies. */
function included({ countries, isExcluding }: Scope): bigint {
  return isExcluding ? ALL & ~countries : countries;
}
