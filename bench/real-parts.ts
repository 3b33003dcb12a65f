import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { derivedId } from '../src/common/ids.ts';
import { slugify } from '../src/common/text/slug.ts';
import { SHIPPED_MAPPINGS } from '../src/features/import/mapping/load.ts';

/** A filter as a record names it, with the id that an import gives it. */
export interface BenchFilter {
  id: string;
  type: string;
  name: string;
}

/**
 * The parts of the real catalogs, with repetitions, so that random draws keep their heavy-tailed
 * distribution.
 */
export interface RealParts {
  names: string[];
  /** The first two words of each name. */
  beginnings: string[];
  artists: string[];
  /** The filter lists of real records, as the mapping of Stave reads them. */
  filterLists: BenchFilter[][];
  durations: number[];
  songKeys: string[];
  /** Years of release. */
  years: number[];
}

/** Reads the real catalogs as an import would. Takes about a second. */
export async function readRealParts(dataFolder: string): Promise<RealParts> {
  const parts: RealParts = {
    names: [],
    beginnings: [],
    artists: [],
    filterLists: [],
    durations: [],
    songKeys: [],
    years: [],
  };
  const filters = new Map<string, BenchFilter>();
  const [mapping] = SHIPPED_MAPPINGS;
  for (const file of (await readdir(dataFolder))
    .filter((name) => name.endsWith('.ndjson.gz'))
    .sort()) {
    const lines = createInterface({
      input: createReadStream(join(dataFolder, file)).pipe(createGunzip()),
      crlfDelay: Infinity,
    });
    for await (const line of lines) {
      take(mapping!.toRecord(JSON.parse(line)) as Supplied, parts, filters);
    }
  }
  return parts;
}

/** The members of a mapped record that become parts. They are not validated. */
interface Supplied {
  name?: string;
  artists?: { name: string }[];
  filters?: { type: string; name: string }[];
  durationSeconds?: number;
  songKey?: string;
  releaseDate?: string;
}

function take(record: Supplied, parts: RealParts, filters: Map<string, BenchFilter>): void {
  const name = record.name?.trim() ?? '';
  if (name !== '') {
    parts.names.push(name);
    parts.beginnings.push(name.split(' ').slice(0, 2).join(' '));
  }
  for (const artist of record.artists ?? []) parts.artists.push(artist.name.trim());
  const list = [...new Set((record.filters ?? []).map((filter) => filterOf(filter, filters)))];
  if (list.length > 0) parts.filterLists.push(list);
  if (record.durationSeconds) parts.durations.push(Math.round(record.durationSeconds));
  if (record.songKey) parts.songKeys.push(record.songKey);
  const year = Number.parseInt(record.releaseDate ?? '', 10);
  if (year > 1900) parts.years.push(year);
}

/** Returns one object for each filter. Filters are distinguished by type and slug, as in the store. */
function filterOf(
  { type, name }: { type: string; name: string },
  filters: Map<string, BenchFilter>,
): BenchFilter {
  const slug = slugify(name) || name;
  const key = `${type}:${slug}`;
  let filter = filters.get(key);
  if (filter === undefined) {
    filter = { id: derivedId('filter', type, slug), type, name };
    filters.set(key, filter);
  }
  return filter;
}
