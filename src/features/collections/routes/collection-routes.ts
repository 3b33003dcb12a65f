import Type from 'typebox';
import type { Clock } from '../../../common/clock.ts';
import { newSortableId } from '../../../common/ids.ts';
import { flag } from '../../../common/schema-types.ts';
import { Places } from '../../../engines/http/guard/concurrency.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import {
  deletedSchema,
  pageMembers,
  pageResponse,
  paginated,
  rangeOf,
  refuseEmpty,
} from '../../../engines/http/schemas.ts';
import type { LiveCatalog } from '../../catalog/live/live-catalog.ts';
import type { TrackPages } from '../../tracks/routes/track-page.ts';
import { shownCollection } from '../collection.ts';
import type { CollectionStore } from '../store/collection-store.ts';
import type { CollectionTrackStore } from '../store/collection-track-store.ts';
import {
  addCollectionItems,
  listCollectionTracks,
  removeCollectionItems,
  replaceCollectionItems,
  updateCollectionItem,
} from './collection-items.ts';
import {
  COLLECTIONS,
  CollectionSchema,
  collectionParams,
  collectionResponse,
  longText,
  MAX_ITEMS,
  nameMember,
  refuseRepeated,
  trackName,
} from './collection-schema.ts';
import { listCollectionShares, shareCollection, unshareCollection } from './collection-shares.ts';

interface Stores {
  collections: CollectionStore;
  collectionTracks: CollectionTrackStore;
}

interface CollectionDependencies {
  store: Stores;
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

function createCollection({ collections, clock }: Stores & { clock: Clock }): Route {
  return route({
    ...COLLECTIONS,
    operationId: 'createCollection',
    method: 'POST',
    path: '/v1/collections',
    summary: 'Create a collection',
    description:
      'With up to 500 tracks, or empty. If a track is unknown or was taken down, nothing is created, and the message names it. A client has 500 collections at most in each mode.',
    errors: ['not_found', 'conflict'],
    idempotent: true,
    success: { statuses: [201], headers: ['Location', 'ETag'] },
    body: Type.Object(
      {
        name: nameMember,
        description: Type.Optional(longText('A description.', 'Upbeat, no vocals')),
        tracks: Type.Optional(
          Type.Array(trackName(), {
            maxItems: MAX_ITEMS,
            description: 'The tracks in order, each once.',
            examples: [['night-bus-home']],
          }),
        ),
      },
      { title: 'CollectionRequest' },
    ),
    checkBody: ({ tracks }) => refuseRepeated(givenTracks(tracks)),
    data: CollectionSchema,
    handle({ body, change }) {
      const { name, description = '', tracks } = body;
      const items = givenTracks(tracks);
      const id = newSortableId(clock.now());
      return change(
        (context) => collections.create({ id, name, description, items }, context),
        (created) => ({
          ...collectionResponse(created),
          headers: { Location: `/v1/collections/${created.id}` },
        }),
      );
    },
  });
}

function givenTracks(tracks: readonly string[] = []) {
  return tracks.map((track, i) => ({ track, field: `tracks[${i}]` }));
}

/**
 * The most lists that are made for a client at the same time, and how many of its further requests wait, for how long. Each
 * list may add up the tracks of a hundred collections, a million, while other requests wait for the same database.
 */
const LIMITS = { most: 8, mostWaiting: 100, waitMs: 10_000 };

export function listCollections({
  collections,
}: {
  collections: Pick<CollectionStore, 'list'>;
}): Route {
  const places = new Places(LIMITS);
  return route({
    ...COLLECTIONS,
    operationId: 'listCollections',
    method: 'GET',
    path: '/v1/collections',
    summary: 'List collections',
    description: `Yours, and those that other clients of your account share with you. Newest first. While ${LIMITS.most} lists of a client are made, its further requests wait.`,
    query: Type.Object({
      ...pageMembers,
      shared: Type.Optional(
        flag(
          'Only collections of other clients (`true`), or only yours (`false`). By default, both.',
          false,
        ),
      ),
    }),
    data: paginated(CollectionSchema, 'CollectionPage'),
    async handle({ query, caller, whenGone }) {
      const found = await places.at(caller!.clientId, whenGone, () =>
        collections.list(caller!, { shared: query.shared, ...rangeOf(query) }),
      );
      return pageResponse(found.collections.map(shownCollection), found.total, query);
    },
  });
}

function showCollection({ collections }: Stores): Route {
  return route({
    ...COLLECTIONS,
    operationId: 'showCollection',
    method: 'GET',
    path: '/v1/collections/{id}',
    summary: 'Read a collection',
    description:
      'Without its tracks, which `GET /v1/collections/{id}/tracks` lists. The response for a collection that you may not read is the same as for one that does not exist.',
    errors: ['not_found'],
    params: Type.Object(collectionParams),
    success: { headers: ['ETag'] },
    data: CollectionSchema,
    async handle({ params, caller }) {
      return collectionResponse(await collections.find(params.id.toLowerCase(), caller!));
    },
  });
}

function updateCollection({ collections }: Stores): Route {
  return route({
    ...COLLECTIONS,
    operationId: 'updateCollection',
    method: 'PATCH',
    path: '/v1/collections/{id}',
    summary: 'Change the name or the description of a collection',
    description: 'Members that are not sent stay as they are.',
    errors: ['not_found'],
    params: Type.Object(collectionParams),
    idempotent: true,
    needsMatch: true,
    success: { headers: ['ETag'] },
    body: Type.Object(
      {
        name: Type.Optional(nameMember),
        description: Type.Optional(longText('A description.', 'Upbeat, no vocals')),
      },
      { title: 'CollectionEdit' },
    ),
    checkBody: refuseEmpty,
    data: CollectionSchema,
    handle: ({ params, body, requireVersion, change }) =>
      change(
        (context) => collections.update(params.id.toLowerCase(), body, requireVersion, context),
        collectionResponse,
      ),
  });
}

function deleteCollection({ collections }: Stores): Route {
  return route({
    ...COLLECTIONS,
    operationId: 'deleteCollection',
    method: 'DELETE',
    path: '/v1/collections/{id}',
    summary: 'Delete a collection',
    description: 'With its shares. Its tracks stay in the catalog.',
    errors: ['not_found'],
    params: Type.Object(collectionParams),
    idempotent: true,
    needsMatch: true,
    data: deletedSchema('DeletedCollection'),
    handle({ params, requireVersion, change }) {
      const id = params.id.toLowerCase();
      return change(
        (context) => collections.delete(id, requireVersion, context),
        () => ({ data: { id, deleted: true } }),
      );
    },
  });
}
