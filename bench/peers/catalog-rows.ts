import { systemClock } from '../../src/common/clock.ts';
import { openSqliteStore } from '../../src/storage/sqlite/open.ts';

/** A track as a peer keeps it. */
export interface PeerTrack {
  no: number;
  id: string;
  name: string;
  type: string;
  hasVocals: boolean;
  /** Milliseconds since the epoch. */
  releasedAt: number;
  /** Numbers of its filters: their places in `PeerCatalog.filterIds`, from 1. */
  filterNos: number[];
  /** The track as the API shows it, JSON, without the URLs that hang on the caller. */
  document: string;
}

/** The catalog that Stave serves, for a peer to load. */
export interface PeerCatalog {
  filterIds: string[];
  /** In slices of a few thousand. */
  tracks: AsyncIterable<PeerTrack[]>;
  close(): Promise<void>;
}

/** Reads a catalog out of Stave's own database, so that peers answer with the same documents. */
export async function openPeerCatalog(database: string): Promise<PeerCatalog> {
  const store = await openSqliteStore({ path: database, clock: systemClock });
  const filterIds = (await store.catalog.filters()).map(({ id }) => id);
  const filterNos = new Map(filterIds.map((id, i) => [id, i + 1]));
  async function* tracks(): AsyncGenerator<PeerTrack[]> {
    for await (const entries of store.catalog.allIndexEntries()) {
      const documents = await store.catalog.documents(entries.map(({ rowId }) => rowId));
      yield entries.map((entry, i) => ({
        no: entry.rowId,
        id: entry.id,
        name: entry.name,
        type: entry.type,
        hasVocals: entry.hasVocals,
        releasedAt: entry.releasedAt,
        filterNos: entry.filterIds.map((id) => filterNos.get(id)!),
        // Stave keeps documents open-ended, for the caller's URLs to follow.
        document: `${documents[i]!.json}}`,
      }));
    }
  }
  return { filterIds, tracks: tracks(), close: () => store.close() };
}
