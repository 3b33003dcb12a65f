import { LRUCache } from 'lru-cache';
import { StaveError } from '../../../common/errors.ts';
import { parseStored } from '../../../engines/sql/stored-value.ts';
import type { Filter } from '../track.ts';

/** A row of `artists`. */
export interface ArtistRow {
  rowId: number;
  id: string;
  name: string;
}

/** A row of `filters`. */
export interface FilterRow extends Filter {
  rowId: number;
}

/** An artist under the name of a credit. */
export interface ArtistReference {
  name: string;
  /** Its members in the JSON of a track: `"id":"…","name":"…"`. */
  json: string;
}

export interface FilterReference {
  id: string;
  /** The filter as a JSON object. */
  json: string;
}

/** A credit as stored: the row id of the artist under the credited name. */
export type StoredCredit = readonly [artistRowId: number, role: string, isPrimary: boolean];

/** The number of artists in memory, which take about 15 MB. */
const MAX_ARTISTS = 50_000;

/**
 * The artists and filters that tracks refer to by row id. Their rows never change and row ids are never
 * reused, so what was read once stays true. Use it only for what was committed: a rollback frees row ids.
 */
export class References {
  readonly #artists = new LRUCache<number, ArtistReference>({ max: MAX_ARTISTS });
  readonly #filters = new Map<number, FilterReference>();
  readonly #readArtist: (rowId: number) => ArtistRow | undefined;
  readonly #readFilter: (rowId: number) => FilterRow | undefined;

  /** The functions read a row that is not in memory. Without them, add what is `lacking` before use. */
  constructor(
    readArtist: (rowId: number) => ArtistRow | undefined = () => undefined,
    readFilter: (rowId: number) => FilterRow | undefined = () => undefined,
  ) {
    this.#readArtist = readArtist;
    this.#readFilter = readFilter;
  }

  artist(rowId: number): ArtistReference {
    return this.#artists.get(rowId) ?? this.#addArtist(found(this.#readArtist(rowId)));
  }

  filter(rowId: number): FilterReference {
    return this.#filters.get(rowId) ?? this.#addFilter(found(this.#readFilter(rowId)));
  }

  /** Returns the row ids in the lists (of `TrackRow`) that are not in memory. */
  lacking(rows: Iterable<{ artists: string; filters: string }>): {
    artists: number[];
    filters: number[];
  } {
    const artists = new Set<number>();
    const filters = new Set<number>();
    for (const row of rows) {
      for (const [rowId] of parseStored<StoredCredit[]>(row.artists)) {
        if (this.#artists.get(rowId) === undefined) artists.add(rowId);
      }
      for (const rowId of parseStored<number[]>(row.filters)) {
        if (!this.#filters.has(rowId)) filters.add(rowId);
      }
    }
    return { artists: [...artists], filters: [...filters] };
  }

  add(artists: readonly ArtistRow[], filters: readonly FilterRow[]): void {
    for (const row of artists) this.#addArtist(row);
    for (const row of filters) this.#addFilter(row);
  }

  #addArtist({ rowId, id, name }: ArtistRow): ArtistReference {
    const reference = { name, json: `"id":"${id}","name":${JSON.stringify(name)}` };
    this.#artists.set(rowId, reference);
    return reference;
  }

  #addFilter(filter: FilterRow): FilterReference {
    const { rowId, id } = filter;
    const reference = { id, json: filterJson(filter) };
    this.#filters.set(rowId, reference);
    return reference;
  }
}

/** Returns a filter as it appears in documents. */
export function filterJson({ id, name, slug, type }: Filter): string {
  return JSON.stringify({ id, name, slug, type });
}

function found<Row>(row: Row | undefined): Row {
  if (row !== undefined) return row;
  throw new StaveError(
    'unavailable',
    'A track refers to a row that is missing; try again in a moment.',
    { headers: { 'Retry-After': '1' } },
  );
}
