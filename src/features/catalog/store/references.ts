import type { RawBuilder } from 'kysely';
import { LRUCache } from 'lru-cache';
import { StaveError } from '../../../common/errors.ts';
import type { Queries, SqlDialect } from '../../../engines/sql/database.ts';
import { parseStored } from '../../../engines/sql/stored-value.ts';
import type { Filter } from '../track.ts';

export interface ArtistRow {
  rowId: number;
  id: string;
  name: string;
}

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

/** Returns the name of the primary artist of a track, or else of the first one; null without artists. */
export function mainArtist(artists: string, references: References): string | null {
  const credits = parseStored<StoredCredit[]>(artists);
  const [rowId] = credits.find(([, , isPrimary]) => isPrimary) ?? credits[0] ?? [];
  return rowId === undefined ? null : references.artist(rowId).name;
}

/** Returns the credits of a track. */
export function creditsOf(artists: string, references: References) {
  return parseStored<StoredCredit[]>(artists).map(([rowId, role, isPrimary]) => ({
    ...{ name: references.artist(rowId).name, role, isPrimary },
  }));
}

interface ReferredRowIds {
  artists: readonly number[];
  filters: readonly number[];
}

/** The number of artists in memory, which take about 15 MB. */
const MAX_ARTISTS = 50_000;

/**
 * The artists and filters that tracks refer to by row id. Their rows never change and row ids are never
 * reused, so what was read once stays true. Use it only for what was committed: a rollback frees row ids.
 */
export class References {
  /** Made for the first artist, because making it takes a millisecond, as long as undoing ten tracks. */
  #artists: LRUCache<number, ArtistReference> | undefined;
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
    return this.#artists?.get(rowId) ?? this.#addArtist(found(this.#readArtist(rowId)));
  }

  filter(rowId: number): FilterReference {
    return this.#filters.get(rowId) ?? this.#addFilter(found(this.#readFilter(rowId)));
  }

  /** Returns the row ids that rows refer to and that are not in memory. */
  lacking(rows: Iterable<ReferringRow>): ReferredRowIds {
    const artists = new Set<number>();
    const filters = new Set<number>();
    for (const row of rows) {
      for (const [rowId] of parseStored<StoredCredit[]>(row.artists)) {
        if (this.#artists?.get(rowId) === undefined) artists.add(rowId);
      }
      for (const rowId of parseStored<number[]>(row.filters ?? '[]')) {
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
    const reference = { name, json: artistJson({ id, name }) };
    this.#artists ??= new LRUCache({ max: MAX_ARTISTS });
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

/** Returns the members of an artist in the JSON of a track. */
export function artistJson({ id, name }: Pick<ArtistRow, 'id' | 'name'>): string {
  return `"id":"${id}","name":${JSON.stringify(name)}`;
}

export function filterJson({ id, name, slug, type }: Filter): string {
  return JSON.stringify({ id, name, slug, type });
}

/** A row that a track refers to is not in memory or, if it was read, was removed meanwhile. */
class MissingReference extends StaveError {
  constructor() {
    super('unavailable', 'A track refers to a row that is missing; try again in a moment.');
  }
}

function found<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new MissingReference();
  return row;
}

/** A row of `tracks`. */
interface ReferringRow {
  artists: string;
  /** Absent if they are not needed. */
  filters?: string;
}

/** Even if each of these tracks has the most credits, their artists fit in memory. */
const CHUNK = 500;
/** How often tracks, or what they refer to, are read if that was removed or displaced meanwhile. */
const MAX_TRIES = 3;

/** Reads tracks with the artists and filters that they refer to, which it keeps in memory. */
export class ReferringRows {
  readonly references = new References();
  readonly #dialect: SqlDialect;

  constructor(dialect: SqlDialect) {
    this.#dialect = dialect;
  }

  /** Calls `make` for each row of a query. Reads before what the rows refer to, if it is not in memory. */
  async map<Row extends ReferringRow, Made>(
    queries: Queries,
    query: Pick<RawBuilder<Row>, 'execute'>,
    make: (row: Row) => Made,
  ): Promise<Made[]> {
    for (let tries = 1; ; tries++) {
      const { rows } = await query.execute(queries);
      const made: Made[] = [];
      try {
        for (let start = 0; start < rows.length; start += CHUNK) {
          const chunk = rows.slice(start, start + CHUNK);
          for (const one of await this.#makeAll(queries, chunk, make)) made.push(one);
        }
        return made;
      } catch (error) {
        // Between the two statements, tracks were changed, and what they referred to was removed.
        if (!(error instanceof MissingReference) || tries === MAX_TRIES) throw error;
      }
    }
  }

  /** Tries again after it has read what is missing: meanwhile, other calls may displace artists that were in memory. */
  async #makeAll<Row extends ReferringRow, Made>(
    queries: Queries,
    rows: readonly Row[],
    make: (row: Row) => Made,
  ): Promise<Made[]> {
    for (let tries = 1; ; tries++) {
      try {
        return rows.map(make);
      } catch (error) {
        if (!(error instanceof MissingReference) || tries > MAX_TRIES) throw error;
      }
      const lacking = this.references.lacking(rows);
      const { artists, filters } = await this.#referred(queries, lacking);
      this.references.add(artists, filters);
      if (artists.length < lacking.artists.length || filters.length < lacking.filters.length) {
        throw new MissingReference();
      }
    }
  }

  async #referred(queries: Queries, { artists, filters }: ReferredRowIds) {
    const { isOneOf } = this.#dialect;
    return {
      artists: await queries
        .selectFrom('artists')
        .select(['rowId', 'id', 'name'])
        .where(({ ref }) => isOneOf(ref('rowId'), artists))
        .execute(),
      filters: await queries
        .selectFrom('filters')
        .select(['rowId', 'id', 'name', 'slug', 'type'])
        .where(({ ref }) => isOneOf(ref('rowId'), filters))
        .execute(),
    };
  }
}
