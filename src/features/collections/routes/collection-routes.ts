import type { Clock } from '../../../common/clock.ts';
import type { Route } from '../../../engines/http/route/route.ts';
import type { LiveCatalog } from '../../catalog/live/live-catalog.ts';
import type { TrackPages } from '../../tracks/routes/track-page.ts';
import type { CollectionStore, CollectionTrackStore } from '../collection.ts';
import {
  addCollectionItems,
  removeCollectionItems,
  replaceCollectionItems,
  updateCollectionItem,
} from './collection-items.ts';
import { listCollectionShares, shareCollection, unshareCollection } from './collection-shares.ts';
import { createCollection } from './create-collection.ts';
import { deleteCollection } from './delete-collection.ts';
import { listCollectionTracks } from './list-collection-tracks.ts';
import { listCollections } from './list-collections.ts';
import { showCollection } from './show-collection.ts';
import { updateCollection } from './update-collection.ts';

/** What the operations on collections need. */
interface CollectionDependencies {
  store: { collections: CollectionStore; collectionTracks: CollectionTrackStore };
  catalog: Pick<LiveCatalog, 'locate'>;
  pages: Pick<TrackPages, 'page'>;
  clock: Clock;
}

/** Returns the operations on collections (docs/contract/collections.md). */
export function collectionRoutes({
  store,
  catalog,
  pages,
  clock,
}: CollectionDependencies): Route[] {
  return [
    createCollection({ ...store, clock }),
    listCollections(store),
    showCollection(store),
    updateCollection(store),
    deleteCollection(store),
    listCollectionTracks({ ...store, catalog, pages }),
    addCollectionItems(store),
    removeCollectionItems(store),
    replaceCollectionItems(store),
    updateCollectionItem(store),
    shareCollection(store),
    unshareCollection(store),
    listCollectionShares(store),
  ];
}
