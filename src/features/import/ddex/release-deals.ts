import { MAX_ENTRIES } from '../../availability/availability.ts';
import type { Deal, Period } from './deal.ts';
import { codesOf, isNowhere, minus, type Scope, union } from './scope.ts';

/** The releases of one recording whose deals are united, and their different periods before any is left out. */
const MAX_RELEASES = 50;
const MAX_PERIODS = 2 * MAX_ENTRIES;

interface Grant {
  /** Equal for equal periods. */
  key: string;
  period: Period;
  scope: Scope;
}

/** What the deals of one release amount to. Deals of one period become one, so that thousands take little memory. */
export class ReleaseDeals {
  readonly #grants = new Map<string, Grant>();
  #takenDown: Scope | undefined;
  /** Why a deal cannot be read; undefined if all can. */
  problem: string | undefined;

  add(deal: Deal): void {
    switch (deal.kind) {
      case 'faulty':
        this.problem ??= deal.problem;
        break;
      case 'takedown':
        this.#takenDown =
          this.#takenDown === undefined ? deal.scope : union(this.#takenDown, deal.scope);
        break;
      case 'grant':
        for (const period of deal.periods) {
          this.#grant(period, deal.scope);
        }
        break;
      case 'none':
        break;
    }
  }

  /** The grants, without the countries in which the release is taken down. */
  grants(): Grant[] {
    const grants = [...this.#grants.values()];
    const takenDown = this.#takenDown;
    return takenDown === undefined
      ? grants
      : grants.map(({ scope, ...grant }) => ({ ...grant, scope: minus(scope, takenDown) }));
  }

  #grant(period: Period, scope: Scope): void {
    const key = `${period.from}|${period.until}`;
    const known = this.#grants.get(key);
    if (known !== undefined) {
      known.scope = union(known.scope, scope);
    } else if (this.#grants.size < MAX_ENTRIES) {
      this.#grants.set(key, { key, period, scope });
    } else {
      this.problem ??= `the deals have more than ${MAX_ENTRIES} different periods`;
    }
  }
}

/** An entry of the member `availability` of the import record. */
interface Entry {
  territories?: string[];
  excludedTerritories?: string[];
  from?: string;
  until?: string;
}

/** Where and when a recording may be used, as members of the import record. */
export interface Availability {
  /** `[]` means always and everywhere. */
  availability: Entry[];
  /** `WORLD` or one country; undefined if it is neither. */
  region: string | undefined;
  /** When the first deal begins, in milliseconds since the epoch; null if that is unbounded. */
  from: number | null;
}

/**
 * Unites the deals of all releases that contain a recording. Returns undefined if none of them applies at `now` or later,
 * and a problem if it cannot be written as availability.
 */
export function availabilityOf(
  releases: readonly ReleaseDeals[],
  now: number,
): Availability | { problem: string } | undefined {
  const faulty = releases.find(({ problem }) => problem !== undefined);
  if (faulty !== undefined) {
    return { problem: faulty.problem! };
  }
  if (releases.length > MAX_RELEASES) {
    return { problem: `the recording is in more than ${MAX_RELEASES} releases with deals` };
  }
  const grants = united(releases).filter(
    ({ period, scope }) => !isNowhere(scope) && (period.until === null || period.until > now),
  );
  if (grants.length === 0) {
    return undefined;
  }
  const crowded = { problem: `the deals have more than ${MAX_ENTRIES} different periods` };
  if (grants.length > MAX_PERIODS) {
    return crowded;
  }
  const least = grants.filter((grant) => !grants.some((other) => isCovered(grant, other)));
  if (least.length > MAX_ENTRIES) {
    return crowded;
  }
  const availability = least.map(entryOf);
  const isAlways = availability.length === 1 && Object.keys(availability[0]!).length === 0;
  return {
    availability: isAlways ? [] : availability,
    region: regionOf(least),
    from: earliest(least),
  };
}

function united(releases: readonly ReleaseDeals[]): Grant[] {
  const byPeriod = new Map<string, Grant>();
  for (const grant of releases.flatMap((release) => release.grants())) {
    const known = byPeriod.get(grant.key);
    const scope = known === undefined ? grant.scope : union(known.scope, grant.scope);
    byPeriod.set(grant.key, { ...grant, scope });
  }
  return [...byPeriod.values()];
}

/** Whether `other` grants all that `grant` does. No two grants have the same period. */
function isCovered(grant: Grant, other: Grant): boolean {
  return (
    grant !== other &&
    (other.period.from ?? -Infinity) <= (grant.period.from ?? -Infinity) &&
    (other.period.until ?? Infinity) >= (grant.period.until ?? Infinity) &&
    isNowhere(minus(grant.scope, other.scope))
  );
}

function entryOf({ period, scope }: Grant): Entry {
  const codes = codesOf(scope);
  return {
    ...(!scope.isExcluding && { territories: codes }),
    ...(scope.isExcluding && codes.length > 0 && { excludedTerritories: codes }),
    ...(period.from !== null && { from: new Date(period.from).toISOString() }),
    ...(period.until !== null && { until: new Date(period.until).toISOString() }),
  };
}

function regionOf(grants: readonly Grant[]): string | undefined {
  const scope = grants.map((grant) => grant.scope).reduce((one, other) => union(one, other));
  const codes = codesOf(scope);
  if (scope.isExcluding) {
    return codes.length === 0 ? 'WORLD' : undefined;
  }
  return codes.length === 1 ? codes[0] : undefined;
}

function earliest(grants: readonly Grant[]): number | null {
  const starts = grants.map(({ period }) => period.from);
  return starts.includes(null) ? null : Math.min(...starts.map(Number));
}
