import { openSqliteStore } from '../../src/app/open/open-sqlite.ts';
import { systemClock } from '../../src/common/clock.ts';

/** A track as a peer stores it. */
export interface PeerTrack {
  no: number;
  id: string;
  name: string;
  type: string;
  hasVocals: boolean;
  /** Milliseconds since the epoch. */
  releasedAt: number;
  /** The numbers of its filters: their positions in `PeerCatalog.filterIds`, from 1. */
  filterNos: number[];
  /** The JSON of the track as the API shows it, without the URLs that depend on the caller. */
  document: string;
}

/** The catalog that Stave serves and a peer loads. */
export interface PeerCatalog {
  filterIds: string[];
  /** The tracks, in slices of a few thousand. */
  tracks: AsyncIterable<PeerTrack[]>;
  close(): Promise<void>;
}

/** Reads a catalog from the database of Stave, so that peers respond with the same documents. */
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
        // Stave stores documents without the closing brace, because the URLs of the caller follow.
        document: `${documents[i]!.json}}`,
      }));
    }
  }
  return { filterIds, tracks: tracks(), close: () => store.close() };
}
