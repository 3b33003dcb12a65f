import type { Concept, IndexQuery, Ranking } from '../../engines/search/catalog-index.ts';
import type { Meaning, Understood } from './brief.ts';

/** A part of a brief, and the texts that count as words of a name. */
export interface RankedPart extends Understood {
  words: readonly string[];
}

export interface BriefRanking {
  ranking: Ranking;
  /** For each concept of the ranking, the position of its part. */
  partOf: readonly number[];
}

/**
 * Returns how tracks are ranked by a brief (docs/contract/briefs.md#ranking-of-briefs); undefined if no track matches, because nothing
 * is understood.
 */
export function rankingOf(parts: readonly RankedPart[]): BriefRanking | undefined {
  if (parts.length === 0) return undefined;
  const concepts: Concept[] = [];
  const partOf: number[] = [];
  const required: IndexQuery[] = [];
  const excluded: Concept[] = [];
  let instrumentalFirst = false;
  for (const [place, part] of parts.entries()) {
    const { kind, hard, weight, meaning } = part;
    if (kind === 'not') {
      excluded.push(conceptOf(weight, meaning));
      continue;
    }
    const meets = restrictionOf(part);
    if (hard) {
      if (meets !== undefined) addTo(required, meets);
      if (kind === 'vocals' && part.value === 'instrumental') instrumentalFirst = true;
      continue;
    }
    concepts.push({
      ...conceptOf(weight, meaning),
      ...(meets === undefined ? { words: part.words } : { meets }),
    });
    partOf.push(place);
  }
  return { ranking: { concepts, required, excluded, instrumentalFirst }, partOf };
}

function conceptOf(weight: number, { filters, tags, artists }: Meaning): Concept {
  return { weight, filterIds: filters.map(({ id }) => id), tags, artists };
}

/** Adds a query to the last one unless both restrict the same. Each query costs one pass over the tracks. */
function addTo(queries: IndexQuery[], query: IndexQuery): void {
  const last = queries.at(-1);
  const isApart = last === undefined || Object.keys(query).some((member) => member in last);
  if (isApart) queries.push({ ...query });
  else Object.assign(last, query);
}

/** Returns the query that the tracks of a part meet; undefined for a part that names something of the catalog. */
function restrictionOf({ kind, min, max, value }: Understood): IndexQuery | undefined {
  switch (kind) {
    case 'tempo':
      return range('bpmMin', min, 'bpmMax', max);
    case 'length':
      return range('durationMin', min, 'durationMax', max);
    case 'release':
      return range('releasedFrom', momentOf(min), 'releasedTo', momentOf(max, DAY_MS - 1));
    case 'key':
      return { songKeys: [value!] };
    case 'vocals':
      return { hasVocals: value === 'vocal' };
    case 'type':
      return { type: value as 'music' | 'sfx' };
    default:
      return undefined;
  }
}

type RangeMember =
  | 'bpmMin'
  | 'bpmMax'
  | 'durationMin'
  | 'durationMax'
  | 'releasedFrom'
  | 'releasedTo';

function range(
  from: RangeMember,
  min: number | string | undefined,
  to: RangeMember,
  max: number | string | undefined,
): IndexQuery {
  return {
    ...(min !== undefined && { [from]: Number(min) }),
    ...(max !== undefined && { [to]: Number(max) }),
  };
}

const DAY_MS = 86_400_000;

/** @param end milliseconds after the beginning of the day (UTC) */
function momentOf(day: number | string | undefined, end = 0): number | undefined {
  return day === undefined ? undefined : Date.parse(String(day)) + end;
}
