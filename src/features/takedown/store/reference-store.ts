import { setImmediate as nextTurn } from 'node:timers/promises';
import { type SqlBool, sql } from 'kysely';
import type { Mode } from '../../../common/caller.ts';
import { nameOf } from '../../../common/ids.ts';
import { compiledOnce, type Queries, type SqlDatabase } from '../../../engines/sql/database.ts';
import { TAKEDOWNS } from '../../../engines/sql/migrations/first-schema/catalog.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';
import { useOfTrack } from '../../usage/store/usage-of-track.ts';
import { MAX_REFERENCES, type TrackHolders, type TrackReferences } from '../track-references.ts';

const selectBy = (key: 'id' | 'slug') =>
  compiledOnce((queries, { value }: { value: string }) =>
    queries.selectFrom('tracks').select(['rowId', 'id', 'state']).where(key, '=', value),
  );
const SELECT = { id: selectBy('id'), slug: selectBy('slug') };

const selectPlaylists = compiledOnce(
  (queries, { trackRowId, clientId }: { trackRowId: number; clientId: string }) =>
    queries
      .selectFrom('playlistTracks')
      .innerJoin('playlistGrants', 'playlistGrants.playlistRowId', 'playlistTracks.playlistRowId')
      .innerJoin('playlists', 'playlists.rowId', 'playlistTracks.playlistRowId')
      .select(['playlists.id', 'playlists.name', 'playlists.slug'])
      .where('playlistTracks.trackRowId', '=', trackRowId)
      .where('playlistGrants.clientRowId', '=', ({ selectFrom }) =>
        selectFrom('clients').select('clients.rowId').where('clients.id', '=', clientId),
      )
      .orderBy('playlists.name')
      .orderBy('playlists.id')
      .limit(MAX_REFERENCES + 1),
);

const selectCollections = compiledOnce(
  (queries, { trackRowId, clientId, mode }: { trackRowId: number; clientId: string; mode: Mode }) =>
    queries
      .selectFrom('collectionTracks')
      .innerJoin('collections', 'collections.rowId', 'collectionTracks.collectionRowId')
      .select(['collections.id', 'collections.name'])
      .where('collectionTracks.trackRowId', '=', trackRowId)
      .where('collections.mode', '=', mode)
      .where('collections.clientRowId', '=', ({ selectFrom }) =>
        selectFrom('clients').select('clients.rowId').where('clients.id', '=', clientId),
      )
      .orderBy('collections.name')
      .orderBy('collections.id')
      .limit(MAX_REFERENCES + 1),
);

const selectLicenses = compiledOnce(
  (queries, { trackId, clientId, mode }: { trackId: string; clientId: string; mode: Mode }) =>
    queries
      .selectFrom('issuedLicenseTracks')
      .innerJoin('issuedLicenses', 'issuedLicenses.rowId', 'issuedLicenseTracks.licenseRowId')
      .select(['number', 'startsAt', 'endsAt', 'revokedAt'])
      .where('trackId', '=', trackId)
      .where('clientId', '=', clientId)
      .where('issuedLicenses.mode', '=', mode)
      .orderBy('issuedAt', 'desc')
      .orderBy('number', 'desc')
      .limit(MAX_REFERENCES + 1),
);

const selectTakedown = compiledOnce((queries, { id }: { id: string }) =>
  queries
    .selectFrom('changeLog')
    .select('at')
    .where('entityId', '=', id)
    .where(sql<SqlBool>`${sql.raw(TAKEDOWNS)}`)
    .orderBy('seq', 'desc')
    .limit(1),
);

export class ReferenceStore extends SqlStore {
  /**
   * Finds a track by its slug or its id (in either case) if it is live, or if it was taken down or withdrawn and
   * something of the client refers to it. Reported use is no reference.
   */
  async ofTrack(
    slugOrId: string,
    clientId: string,
    mode: Mode,
  ): Promise<TrackReferences | undefined> {
    const found = await this.#stateOf(slugOrId, clientId, mode);
    if (found === undefined) return undefined;
    const { trackId } = found;
    return { ...found, usage: await useOfTrack(this.database, { trackId, clientId, mode }) };
  }

  /** Finds what refers to any of some tracks, by their row ids: a second for ten thousand tracks. */
  async holdersOf(rowIds: readonly number[]): Promise<TrackHolders> {
    const holders = new Holders(this.database);
    for (let from = 0; from < rowIds.length; from += SLICE) {
      await holders.add(rowIds.slice(from, from + SLICE));
      await nextTurn();
    }
    return holders.result();
  }

  #stateOf(
    slugOrId: string,
    clientId: string,
    mode: Mode,
  ): Promise<Omit<TrackReferences, 'usage'> | undefined> {
    return this.database.view(async (queries) => {
      const { column, key } = nameOf(slugOrId);
      const [track] = await SELECT[column](queries, { value: key });
      // Also read for an unknown track, so that it costs the same as one that is not referred to.
      const trackRowId = track?.rowId ?? 0;
      const playlists = await selectPlaylists(queries, { trackRowId, clientId });
      const collections = await selectCollections(queries, { trackRowId, clientId, mode });
      const licenses = await selectLicenses(queries, { trackId: track?.id ?? '', clientId, mode });
      const lengths = [playlists.length, collections.length, licenses.length];
      const isReferred = Math.max(...lengths) > 0;
      if (track === undefined || (track.state !== 'live' && !isReferred)) return undefined;
      const { id: trackId, state } = track;
      const [takedown] = state === 'live' ? [] : await selectTakedown(queries, { id: trackId });
      return {
        trackId,
        state,
        since: takedown?.at ?? null,
        playlists: playlists.slice(0, MAX_REFERENCES),
        collections: collections.slice(0, MAX_REFERENCES),
        licenses: licenses.slice(0, MAX_REFERENCES),
        isTruncated: Math.max(...lengths) > MAX_REFERENCES,
      };
    });
  }
}

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

function by<Item>(key: (item: Item) => string): (a: Item, b: Item) => number {
  return (a, b) => (key(a) < key(b) ? -1 : 1);
}
