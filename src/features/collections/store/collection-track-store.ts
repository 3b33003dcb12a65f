import type { By, ClientMode, RequireVersion, WriteContext } from '../../../common/caller.ts';
import { StaveError } from '../../../common/errors.ts';
import type { Queries } from '../../../engines/sql/database.ts';
import { shownBy, storedBy } from '../../access/made-by.ts';
import type { GivenItem } from '../../catalog/given-items.ts';
import { tracksNamed } from '../../catalog/store/track-names.ts';
import type { Addition, CollectionItem, CollectionSummary, Removal } from '../collection.ts';
import { owned, readable, selectTrackIds } from './collection-queries.ts';
import { CollectionChanges, liveTracks, placesOf } from './collection-store.ts';
import { CollectionTracks } from './collection-tracks.ts';

/** The tracks of collections. Who reads and changes them, and what is logged, is as in `CollectionStore`. */
export class CollectionTrackStore extends CollectionChanges {
  /** The ids of the tracks in order, also of those that were taken down. */
  trackIds(id: string, user: ClientMode): Promise<string[]> {
    return this.database.view(async (queries) => {
      const { rowId } = await readable(queries, id, user);
      const rows = await selectTrackIds(queries, { collectionRowId: rowId });
      return rows.map(({ id: trackId }) => trackId);
    });
  }

  /** The places of some tracks, with who wrote their notes, in any order. Tracks that are not in the collection are left out. */
  items(
    id: string,
    user: ClientMode,
    trackRowIds: readonly number[],
  ): Promise<(Omit<CollectionItem, 'noteBy'> & { trackId: string; by: By | null })[]> {
    const { isOneOf } = this.database.dialect;
    return this.database.view(async (queries) => {
      const { rowId, ownerName } = await readable(queries, id, user);
      const rows = await queries
        .selectFrom('collectionTracks')
        .innerJoin('tracks', 'tracks.rowId', 'trackRowId')
        .select(['trackRowId', 'tracks.id as trackId', 'note', 'noteBy', 'addedAt'])
        .where('collectionRowId', '=', rowId)
        .where(({ ref }) => isOneOf(ref('trackRowId'), trackRowIds))
        .execute();
      return rows.map(({ noteBy, ...item }) => ({
        ...item,
        by: item.note === '' ? null : shownBy(noteBy, ownerName),
      }));
    });
  }

  /**
   * Adds tracks, at the end or so that the first gets this position among the live tracks, from 1. Throws
   * `invalid_request` for a position after the place behind the last, and then `conflict` above MAX_COLLECTION_TRACKS.
   */
  add(
    id: string,
    { items, position }: { items: readonly GivenItem[]; position?: number | undefined },
    context: WriteContext<Addition>,
  ): Promise<Addition> {
    return this.database.write(async (transaction) => {
      const { queries } = transaction;
      const { rowId, version } = await owned(queries, id, context);
      const tracks = this.#tracks(queries, rowId);
      await tracks.refuseAfterEnd(position, 1);
      const named = await this.#named(
        queries,
        items.map(({ track }) => track),
      );
      const live = named.filter((track) => track?.isLive).map((track) => track!.rowId);
      const present = await tracks.present(live);
      const addition: Addition = { added: [], alreadyPresent: [], notFound: [], version };
      const places: CollectionItem[] = [];
      for (const [i, { track: name, note = '' }] of items.entries()) {
        const track = named[i];
        if (!track?.isLive) addition.notFound.push(name);
        else if (present.has(track.rowId)) addition.alreadyPresent.push(track.id);
        else {
          present.add(track.rowId);
          addition.added.push(track.id);
          const noteBy = note === '' ? null : storedBy(context.by);
          places.push({ trackRowId: track.rowId, note, noteBy, addedAt: this.clock.now() });
        }
      }
      if (places.length > 0) {
        await tracks.insert(places, position);
        addition.version = await this.touch(transaction, rowId, id, context);
      }
      return addition;
    }, context);
  }

  /** Removes live tracks by slug or id, and tracks that were taken down by id. */
  remove(id: string, names: readonly string[], context: WriteContext<Removal>): Promise<Removal> {
    return this.database.write(async (transaction) => {
      const { queries } = transaction;
      const { rowId, version } = await owned(queries, id, context);
      const tracks = this.#tracks(queries, rowId);
      const named = await this.#named(queries, names);
      const present = await tracks.present(
        named.filter((track) => track !== undefined).map((track) => track.rowId),
      );
      const removal: Removal = { removed: [], notPresent: [], version };
      const gone: number[] = [];
      for (const [i, name] of names.entries()) {
        const track = named[i];
        // The slug of a track that was taken down is not shown to anybody.
        const isNamed = track !== undefined && (track.isLive || name.toLowerCase() === track.id);
        if (isNamed && present.delete(track.rowId)) {
          removal.removed.push(track.id);
          gone.push(track.rowId);
        } else removal.notPresent.push(name);
      }
      if (gone.length > 0) {
        await tracks.remove(gone);
        removal.version = await this.touch(transaction, rowId, id, context);
      }
      return removal;
    }, context);
  }

  /**
   * Replaces the live tracks. Tracks that were taken down stay, behind the last. Throws as `CollectionStore.create` does,
   * and `conflict` above MAX_COLLECTION_TRACKS.
   */
  replace(
    id: string,
    items: readonly GivenItem[],
    requireVersion: RequireVersion,
    context: WriteContext<CollectionSummary>,
  ): Promise<CollectionSummary> {
    return this.edit(id, requireVersion, context, {
      find: (queries) => liveTracks(queries, this.database.dialect, items),
      make: async (queries, rowId, named) => {
        const tracks = this.#tracks(queries, rowId);
        const before = await tracks.all();
        const known = new Map(before.map((item) => [item.trackRowId, item]));
        await tracks.replace([
          ...placesOf(named, items, { now: this.clock.now(), by: storedBy(context.by) }, known),
          ...before.filter(({ state }) => state !== 'live'),
        ]);
      },
    });
  }

  /**
   * Changes the note or the position of a live track. Throws `not_found` if the track is not in the collection, and then
   * `invalid_request` for a position after the end, before the version is compared.
   */
  editItem(
    id: string,
    trackId: string,
    change: { note?: string | undefined; position?: number | undefined },
    requireVersion: RequireVersion,
    context: WriteContext<CollectionSummary>,
  ): Promise<CollectionSummary> {
    return this.edit(id, requireVersion, context, {
      find: async (queries, rowId) => {
        const [track] = await this.#named(queries, [trackId]);
        // A slug would be a second address of the same item.
        const isIn =
          track?.isLive &&
          track.id === trackId &&
          (await this.#tracks(queries, rowId).present([track.rowId])).size > 0;
        if (!isIn) throw new StaveError('not_found', 'The collection has no track with this id.');
        await this.#tracks(queries, rowId).refuseAfterEnd(change.position, 0);
        return track.rowId;
      },
      make: (queries, rowId, trackRowId) =>
        this.#tracks(queries, rowId).edit(trackRowId, change, storedBy(context.by)),
    });
  }

  #tracks(queries: Queries, rowId: number): CollectionTracks {
    return new CollectionTracks(queries, this.database.dialect, rowId);
  }

  #named(queries: Queries, names: readonly string[]) {
    return tracksNamed(queries, this.database.dialect, names);
  }
}
