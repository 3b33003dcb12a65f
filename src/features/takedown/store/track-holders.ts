import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Queries, SqlDatabase } from '../../../engines/sql/database.ts';
import { MAX_REFERENCES, type TrackHolders } from '../track-references.ts';

/** The tracks that one step looks up. */
const SLICE = 500;

/** Collects what refers to tracks, of all clients. */
class Holders {
  readonly #database: Pick<SqlDatabase, 'queries' | 'dialect'>;
  readonly #playlists = new Map<number, TrackHolders['playlists'][number]>();
  readonly #collections = new Map<string, TrackHolders['collections'][number]>();
  readonly #licenses = new Map<string, TrackHolders['licenses'][number]>();

  constructor(database: Pick<SqlDatabase, 'queries' | 'dialect'>) {
    this.#database = database;
  }

  async add(rowIds: readonly number[]): Promise<void> {
    const { queries } = this.#database;
    if (this.#playlists.size <= MAX_REFERENCES) await this.#addPlaylists(queries, rowIds);
    if (this.#collections.size <= MAX_REFERENCES) await this.#addCollections(queries, rowIds);
    if (this.#licenses.size <= MAX_REFERENCES) await this.#addLicenses(queries, rowIds);
  }

  async result(): Promise<TrackHolders> {
    const lists = [this.#playlists, this.#collections, this.#licenses];
    const playlists = [...this.#playlists].slice(0, MAX_REFERENCES);
    return {
      playlists: playlists.map(([, playlist]) => playlist).sort(by(({ name }) => name)),
      clients: await this.#grantees(playlists.map(([rowId]) => rowId)),
      collections: [...this.#collections.values()]
        .slice(0, MAX_REFERENCES)
        .sort(by(({ clientName, name }) => `${clientName} ${name}`)),
      licenses: [...this.#licenses.values()]
        .slice(0, MAX_REFERENCES)
        .sort((a, b) => b.issuedAt - a.issuedAt),
      isTruncated: lists.some(({ size }) => size > MAX_REFERENCES),
    };
  }

  async #addPlaylists(queries: Queries, rowIds: readonly number[]): Promise<void> {
    const found = await queries
      .selectFrom('playlistTracks')
      .innerJoin('playlists', 'playlists.rowId', 'playlistTracks.playlistRowId')
      .select(['playlists.rowId', 'playlists.id', 'playlists.slug', 'playlists.name'])
      .distinct()
      .where(({ ref }) => this.#database.dialect.isOneOf(ref('trackRowId'), rowIds))
      .orderBy('playlists.rowId')
      .limit(MAX_REFERENCES + 1)
      .execute();
    for (const { rowId, ...playlist } of found) this.#playlists.set(rowId, playlist);
  }

  async #addCollections(queries: Queries, rowIds: readonly number[]): Promise<void> {
    const found = await queries
      .selectFrom('collectionTracks')
      .innerJoin('collections', 'collections.rowId', 'collectionTracks.collectionRowId')
      .innerJoin('clients', 'clients.rowId', 'collections.clientRowId')
      .select(['collections.id', 'collections.name', 'collections.mode'])
      .select(['clients.id as clientId', 'clients.name as clientName'])
      .distinct()
      .where(({ ref }) => this.#database.dialect.isOneOf(ref('trackRowId'), rowIds))
      .orderBy('collections.id')
      .limit(MAX_REFERENCES + 1)
      .execute();
    for (const collection of found) this.#collections.set(collection.id, collection);
  }

  async #addLicenses(queries: Queries, rowIds: readonly number[]): Promise<void> {
    const found = await queries
      .selectFrom('tracks')
      .innerJoin('issuedLicenseTracks', 'issuedLicenseTracks.trackId', 'tracks.id')
      .innerJoin('issuedLicenses', 'issuedLicenses.rowId', 'issuedLicenseTracks.licenseRowId')
      // A license stays when its client is deleted.
      .leftJoin('clients', 'clients.id', 'issuedLicenses.clientId')
      .select(['number', 'issuedLicenses.clientId', 'clients.name as clientName'])
      .select(['issuedLicenses.mode', 'issuedAt', 'startsAt', 'endsAt', 'revokedAt'])
      .distinct()
      .where(({ ref }) => this.#database.dialect.isOneOf(ref('tracks.rowId'), rowIds))
      .orderBy('issuedAt', 'desc')
      .orderBy('number', 'desc')
      .limit(MAX_REFERENCES + 1)
      .execute();
    for (const license of found) this.#licenses.set(license.number, license);
  }

  #grantees(playlistRowIds: readonly number[]): Promise<TrackHolders['clients']> {
    const { queries, dialect } = this.#database;
    return queries
      .selectFrom('playlistGrants')
      .innerJoin('clients', 'clients.rowId', 'playlistGrants.clientRowId')
      .select(['clients.id as clientId', 'clients.name'])
      .distinct()
      .where(({ ref }) => dialect.isOneOf(ref('playlistRowId'), playlistRowIds))
      .orderBy('clients.name')
      .orderBy('clients.id')
      .execute();
  }
}

/** As `ReferenceStore.holdersOf`. */
export async function holdersOf(
  database: Pick<SqlDatabase, 'queries' | 'dialect'>,
  rowIds: readonly number[],
): Promise<TrackHolders> {
  const holders = new Holders(database);
  for (let from = 0; from < rowIds.length; from += SLICE) {
    await holders.add(rowIds.slice(from, from + SLICE));
    await nextTurn();
  }
  return holders.result();
}

function by<Item>(key: (item: Item) => string): (a: Item, b: Item) => number {
  return (a, b) => (key(a) < key(b) ? -1 : 1);
}
