import { keptIn } from '../../../common/memory/caches.ts';
import { asciiJson } from '../../../engines/http/response/envelope.ts';
import type { IndexFacets } from '../../../engines/search/catalog-index.ts';
import type { Filter } from '../../catalog/track.ts';

/** The JSON of a filter in ASCII, up to its count. */
interface Opening {
  filterId: string;
  json: string;
}

/** Kept for a list of filters as long as the list is in use. */
interface FilterFacts {
  /** Ordered by original name, then by id. */
  openings: readonly Opening[];
  /** The JSON of facets made with these filters, because the same facets recur. */
  written: WeakMap<IndexFacets, string>;
}

const factsOf = new WeakMap<readonly Filter[], FilterFacts>();

/**
 * Returns the facets of a result as JSON in ASCII. Each list begins with the value that most tracks have;
 * filters with equal counts are ordered by original name, then by id. `filters` are all filters of the catalog as they
 * are shown, and `originals` the same with their original names. This takes about 0.2 ms for a thousand filters, five
 * times as long for a new list of filters, and no time for facets that were already converted.
 */
export function facetsJson(
  facets: IndexFacets,
  filters: readonly Filter[],
  originals: readonly Filter[] = filters,
): string {
  const facts = keptIn(factsOf, filters, () => ({
    openings: openingsOf(filters, originals),
    written: new WeakMap(),
  }));
  return keptIn(facts.written, facets, () => write(facets, facts.openings));
}

function write(facets: IndexFacets, openings: readonly Opening[]): string {
  const counted: { json: string; trackCount: number }[] = [];
  for (const { filterId, json } of openings) {
    const trackCount = facets.filters.get(filterId) ?? 0;
    if (trackCount > 0) {
      counted.push({ json, trackCount });
    }
  }
  // The sort is stable: equal counts keep the order of names.
  counted.sort((a, b) => b.trackCount - a.trackCount);
  return (
    `{"filters":[${counted.map(({ json, trackCount }) => `${json}${trackCount}}`).join(',')}],` +
    `"types":${countsJson('type', facets.types)},` +
    `"hasVocals":${countsJson('hasVocals', facets.hasVocals)},` +
    `"vocals":${countsJson('vocals', facets.vocals)},` +
    `"ai":${countsJson('ai', facets.ai)},` +
    `"trainingAllowed":${countsJson('trainingAllowed', facets.trainingAllowed)}}`
  );
}

function openingsOf(filters: readonly Filter[], originals: readonly Filter[]): Opening[] {
  const shown = new Map(filters.map((filter) => [filter.id, filter]));
  return [...originals]
    .sort((a, b) => ordered(a.name, b.name) || ordered(a.id, b.id))
    .map((original) => shown.get(original.id) ?? original)
    .map(({ id, name, slug, type }) => ({
      filterId: id,
      json: `${asciiJson({ id, name, slug, type }).slice(0, -1)},"trackCount":`,
    }));
}

/** Omits values that no track has. With equal counts, `music` and `false` come first, and others by their names. */
function countsJson(name: string, counts: ReadonlyMap<string | boolean, number>): string {
  const shown = [...counts]
    .filter(([, count]) => count > 0)
    .sort(([a, countA], [b, countB]) => countB - countA || ordered(a, b))
    .map(([value, trackCount]) => ({ [name]: value, trackCount }));
  return JSON.stringify(shown);
}

function ordered<Value extends string | boolean>(a: Value, b: Value): number {
  return a < b ? -1 : Number(a > b);
}
