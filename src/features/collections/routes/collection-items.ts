import Type from 'typebox';
import { integer, madeBy, text, timestamp, uuid } from '../../../common/schema-types.ts';
import { asciiJson } from '../../../engines/http/response/envelope.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import {
  pageMembers,
  pageOf,
  paginated,
  rangeOf,
  refuseEmpty,
} from '../../../engines/http/schemas.ts';
import type { LiveCatalog } from '../../catalog/live/live-catalog.ts';
import { languageMember } from '../../languages/routes/language.ts';
import type { TrackPages } from '../../tracks/routes/track-page.ts';
import { TrackSchema } from '../../tracks/routes/track-schemas.ts';
import { MAX_COLLECTION_TRACKS } from '../collection.ts';
import type { CollectionTrackStore } from '../store/collection-track-store.ts';
import {
  COLLECTIONS,
  CollectionSchema,
  collectionParams,
  collectionResponse,
  ItemSchema,
  longText,
  MAX_ITEMS,
  positionMember,
  refuseRepeated,
  trackName,
} from './collection-schema.ts';

const MAX_BODY_BYTES = 256 * 1024;
const MAX_LIST_BYTES = 1024 * 1024;
/** For an addition, and for a list: each item has two members at most. */
const MAX_MEMBERS = 2 * MAX_ITEMS + 10;
const MAX_LIST_MEMBERS = 2 * MAX_COLLECTION_TRACKS + 10;

interface Dependencies {
  collectionTracks: CollectionTrackStore;
}

const SHARED = {
  ...COLLECTIONS,
  params: Type.Object(collectionParams),
  idempotent: true,
} as const;

const ids = (description: string) =>
  Type.Array(uuid(), { description, examples: [['3d1a8f34-8b42-5f0c-a8a1-5b8f2f7c9d10']] });
const names = (description: string) =>
  Type.Array(Type.String(), { description, examples: [['no-such-track']] });
const newVersion = integer(
  'The version of the collection, which is raised if anything changed.',
  4,
  { minimum: 1 },
);

export function addCollectionItems({ collectionTracks }: Dependencies): Route {
  return route({
    ...SHARED,
    operationId: 'addCollectionItems',
    method: 'POST',
    path: '/v1/collections/{id}/items',
    summary: 'Add tracks to a collection',
    description:
      'At the end, or so that the first gets `position`. Tracks that are in the collection stay where they are. Needs no `If-Match`: additions of several editors do not conflict. Other tracks are added if some are unknown.',
    errors: ['not_found', 'conflict'],
    maxBodyBytes: MAX_BODY_BYTES,
    maxBodyMembers: MAX_MEMBERS,
    body: Type.Object(
      {
        items: Type.Array(ItemSchema, {
          maxItems: MAX_ITEMS,
          description: 'The tracks in order; none changes nothing.',
        }),
        position: Type.Optional(positionMember),
      },
      { title: 'CollectionAddition' },
    ),
    data: Type.Object(
      {
        added: ids('The tracks that were added.'),
        alreadyPresent: ids('The tracks that were in the collection.'),
        notFound: names('The tracks that are unknown or were taken down, as sent.'),
        version: newVersion,
      },
      { title: 'CollectionAdditionResult' },
    ),
    handle({ params, body, change }) {
      const request = { items: givenItems(body.items), position: body.position };
      return change(
        (context) => collectionTracks.add(params.id.toLowerCase(), request, context),
        (data) => ({ data }),
      );
    },
  });
}

export function removeCollectionItems({ collectionTracks }: Dependencies): Route {
  return route({
    ...SHARED,
    operationId: 'removeCollectionItems',
    method: 'POST',
    path: '/v1/collections/{id}/items/remove',
    summary: 'Remove tracks from a collection',
    description:
      'By slug or id; a track that was taken down by its id. Needs no `If-Match`: removals of several editors do not conflict.',
    errors: ['not_found', 'conflict'],
    maxBodyBytes: MAX_BODY_BYTES,
    body: Type.Object(
      {
        tracks: Type.Array(trackName(), {
          maxItems: MAX_ITEMS,
          description: 'The tracks to remove; none changes nothing.',
        }),
      },
      { title: 'CollectionRemoval' },
    ),
    data: Type.Object(
      {
        removed: ids('The tracks that were removed.'),
        notPresent: names('The tracks that are not in the collection, as sent.'),
        version: newVersion,
      },
      { title: 'CollectionRemovalResult' },
    ),
    handle: ({ params, body, change }) =>
      change(
        (context) => collectionTracks.remove(params.id.toLowerCase(), body.tracks, context),
        (data) => ({ data }),
      ),
  });
}

export function replaceCollectionItems({ collectionTracks }: Dependencies): Route {
  return route({
    ...SHARED,
    operationId: 'replaceCollectionItems',
    method: 'PUT',
    path: '/v1/collections/{id}/items',
    summary: 'Replace or reorder the tracks of a collection',
    description:
      'All or nothing. The list replaces the tracks that `GET /v1/collections/{id}/tracks` shows; those that were taken down stay, behind the last. A note that is not sent is kept.',
    errors: ['not_found', 'conflict'],
    needsMatch: true,
    success: { headers: ['ETag'] },
    maxBodyBytes: MAX_LIST_BYTES,
    maxBodyMembers: MAX_LIST_MEMBERS,
    body: Type.Object(
      {
        items: Type.Array(ItemSchema, {
          maxItems: MAX_COLLECTION_TRACKS,
          description: 'The tracks in order, each once.',
        }),
      },
      { title: 'CollectionList' },
    ),
    checkBody: ({ items }) => refuseRepeated(givenItems(items)),
    data: CollectionSchema,
    handle({ params, body, requireVersion, change }) {
      const id = params.id.toLowerCase();
      const items = givenItems(body.items);
      return change(
        (context) => collectionTracks.replace(id, items, requireVersion, context),
        collectionResponse,
      );
    },
  });
}

export function updateCollectionItem({ collectionTracks }: Dependencies): Route {
  return route({
    ...SHARED,
    operationId: 'updateCollectionItem',
    method: 'PATCH',
    path: '/v1/collections/{id}/items/{trackId}',
    summary: 'Change the note or the place of a track in a collection',
    description: 'The other tracks keep their order.',
    errors: ['not_found', 'conflict'],
    params: Type.Object({
      ...collectionParams,
      trackId: text('The id of the track, in either case.', '3d1a8f34-8b42-5f0c-a8a1-5b8f2f7c9d10'),
    }),
    needsMatch: true,
    success: { headers: ['ETag'] },
    body: Type.Object(
      {
        note: Type.Optional(longText('Your note.', 'for the opening')),
        position: Type.Optional(positionMember),
      },
      { title: 'CollectionItemEdit' },
    ),
    checkBody: refuseEmpty,
    data: CollectionSchema,
    handle({ params, body, requireVersion, change }) {
      const [id, trackId] = [params.id.toLowerCase(), params.trackId.toLowerCase()];
      return change(
        (context) => collectionTracks.editItem(id, trackId, body, requireVersion, context),
        collectionResponse,
      );
    },
  });
}

function givenItems(items: readonly { track: string; note?: string | undefined }[] = []) {
  return items.map((item, i) => ({ ...item, field: `items[${i}].track` }));
}

const PlacedTrackSchema = Type.Object(
  {
    position: positionMember,
    note: longText('The note of the owner.', 'for the opening'),
    by: Type.Union([madeBy(), Type.Null()], {
      description: 'Who wrote the note; null without a note.',
    }),
    addedAt: timestamp({ examples: ['2026-11-20T16:05:12.345Z'] }),
    track: TrackSchema,
  },
  { title: 'PlacedTrack' },
);

export function listCollectionTracks({
  collectionTracks,
  catalog,
  pages,
}: {
  collectionTracks: Pick<CollectionTrackStore, 'trackIds' | 'items'>;
  catalog: Pick<LiveCatalog, 'locate'>;
  pages: Pick<TrackPages, 'page'>;
}): Route {
  return route({
    ...COLLECTIONS,
    operationId: 'listCollectionTracks',
    method: 'GET',
    path: '/v1/collections/{id}/tracks',
    summary: 'Page through a collection',
    description:
      'In the order of the collection. Tracks that were taken down are omitted and not counted; they keep their place.',
    errors: ['not_found'],
    params: Type.Object(collectionParams),
    query: Type.Object({ ...pageMembers, ...languageMember }),
    localized: 'header',
    data: paginated(PlacedTrackSchema, 'PlacedTrackPage'),
    async handle({ params, query, caller }) {
      const id = params.id.toLowerCase();
      const trackIds = await collectionTracks.trackIds(id, caller!);
      const live = catalog.locate(trackIds, {}).filter((track) => track !== undefined);
      const page = pageOf(live, query);
      const { items } = page;
      const first = rangeOf(query).offset + 1;
      const positions = new Map(items.map((rowId, i) => [rowId, first + i]));
      const texts = new Map<string, string>();
      const shown = new Set<number>();
      for (const item of await collectionTracks.items(id, caller!, items)) {
        const position = positions.get(item.trackRowId)!;
        const addedAt = new Date(item.addedAt).toISOString();
        shown.add(item.trackRowId);
        texts.set(
          item.trackId,
          `{"position":${position},"note":${asciiJson(item.note)},"by":${asciiJson(item.by)},"addedAt":"${addedAt}","track":`,
        );
      }
      return pages.page(
        // One may have been removed between the reads.
        { ...page, items: items.filter((rowId) => shown.has(rowId)) },
        caller!,
        (trackId) => ({ before: texts.get(trackId)!, after: '}' }),
      );
    },
  });
}
