import { COUNTRIES } from '../../../common/codes/countries.ts';
import { nearest } from '../../../common/text/nearest.ts';
import { parseTime } from '../../../common/time/rfc3339.ts';
import {
  type AvailabilityEntry,
  MAX_ENTRIES,
  MAX_TERRITORIES,
} from '../../availability/availability.ts';
import { describe, type ImportRecord } from '../record.ts';
import type { Report } from './text.ts';

const KNOWN: ReadonlySet<string> = new Set(COUNTRIES);

/**
 * Returns the availability of a record, without repeated entries and ordered by the beginnings of their periods, so that
 * the order of the delivery is no change; undefined if the stored one stays.
 */
export function canonicalAvailability(
  given: ImportRecord['availability'],
  report: Report,
): readonly AvailabilityEntry[] | undefined {
  if (given === undefined || given === null) {
    return undefined;
  }
  if (given.length > MAX_ENTRIES) {
    report('availability', `must list ${MAX_ENTRIES} at most; it lists ${given.length}`);
    return undefined;
  }
  const entries = new Map<string, AvailabilityEntry>();
  for (const [i, one] of given.entries()) {
    const entry = canonicalEntry(one, `availability[${i}]`, report);
    entries.set(JSON.stringify(entry), entry);
  }
  return [...entries].sort(byBeginning).map(([, entry]) => entry);
}

type Keyed = readonly [key: string, entry: AvailabilityEntry];

function byBeginning([oneKey, one]: Keyed, [otherKey, other]: Keyed): number {
  const [from, otherFrom] = [one.from ?? -Infinity, other.from ?? -Infinity];
  if (from !== otherFrom) {
    return from < otherFrom ? -1 : 1;
  }
  return oneKey < otherKey ? -1 : 1;
}

const MEMBERS: readonly string[] = ['territories', 'excludedTerritories', 'from', 'until'];

type GivenEntry = NonNullable<ImportRecord['availability']>[number];

function canonicalEntry(given: GivenEntry, field: string, report: Report): AvailabilityEntry {
  // Without a member that is misspelled, the entry would hold in more territories, or for longer.
  const unknown = Object.keys(given).find((member) => !MEMBERS.includes(member));
  if (unknown !== undefined) {
    const near = nearest(unknown, MEMBERS);
    const hint = near === undefined ? '' : ` (did you mean ${near}?)`;
    report(
      field,
      `must have only the members ${MEMBERS.join(', ')}; it has ${describe(unknown)}${hint}`,
    );
  }
  const territories = codesOf(given.territories, `${field}.territories`, report);
  const excluded = codesOf(given.excludedTerritories, `${field}.excludedTerritories`, report);
  if (territories?.length === 0 && given.territories?.length === 0) {
    report(`${field}.territories`, 'must not be empty; without it, the entry is worldwide');
  }
  const left = (territories ?? COUNTRIES).filter((code) => !excluded?.includes(code));
  if (left.length === 0 && excluded !== undefined && territories?.length !== 0) {
    report(`${field}.excludedTerritories`, 'must leave a territory; it excludes all of the entry');
  }
  const from = momentOf(given.from, `${field}.from`, report);
  const until = momentOf(given.until, `${field}.until`, report);
  if (from !== undefined && until !== undefined && from >= until) {
    const is = `it is ${describe(given.until)}`;
    report(`${field}.until`, `must be later than from, ${describe(given.from)}; ${is}`);
  }
  return {
    ...(territories !== undefined && { territories }),
    ...(excluded !== undefined && excluded.length > 0 && { excludedTerritories: excluded }),
    ...(from !== undefined && { from }),
    ...(until !== undefined && { until }),
  };
}

/** Returns the codes in upper case, ascending and without repetitions; undefined if the list is absent. */
function codesOf(
  given: readonly string[] | null | undefined,
  field: string,
  report: Report,
): string[] | undefined {
  if (given === undefined || given === null) {
    return undefined;
  }
  if (given.length > MAX_TERRITORIES) {
    report(field, `must list ${MAX_TERRITORIES} at most; it lists ${given.length}`);
    return [];
  }
  const codes = given.map((code) => code.trim().toUpperCase());
  const wrong = codes.findIndex((code) => !KNOWN.has(code));
  if (wrong !== -1) {
    const rule = 'must list country codes of ISO 3166-1 alpha-2 such as DE or US';
    report(field, `${rule}; entry ${wrong + 1} is ${describe(given[wrong])}`);
    return [];
  }
  return [...new Set(codes)].sort();
}

/** Returns milliseconds since the epoch of a date, which means 00:00 UTC, or of a time; undefined for another text. */
export function parseMoment(given: string): number | undefined {
  const text = given.trim();
  return parseTime(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);
}

/** Returns milliseconds since the epoch; undefined if the moment is absent. */
function momentOf(
  given: string | null | undefined,
  field: string,
  report: Report,
): number | undefined {
  if (given === undefined || given === null) {
    return undefined;
  }
  const moment = parseMoment(given);
  if (moment === undefined) {
    const rule = 'must be a date such as 2026-01-31 or a time such as 2026-01-31T12:00:00Z';
    report(field, `${rule}; it is ${describe(given)}`);
  }
  return moment;
}
