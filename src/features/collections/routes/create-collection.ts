import Type from 'typebox';
import type { Clock } from '../../../common/clock.ts';
import { newSortableId } from '../../../common/ids.ts';
import { API_VERSION } from '../../../common/version.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import type { CollectionStore } from '../collection.ts';
import {
  COLLECTION_ACCESS,
  CollectionSchema,
  collectionResponse,
  longText,
  MAX_ITEMS,
  nameMember,
  refuseRepeated,
  trackName,
} from './collection-schema.ts';

/** POST /v1/collections: creates a collection (docs/contract/collections.md#edits). */
export function createCollection({
  collections,
  clock,
}: {
  collections: Pick<CollectionStore, 'create'>;
  clock: Clock;
}): Route {
  return route({
    operationId: 'createCollection',
    method: 'POST',
    path: '/v1/collections',
    version: API_VERSION,
    tag: 'Collections',
    summary: 'Create a collection',
    description:
      'With up to 500 tracks, or empty. If a track is unknown or was taken down, nothing is created, and the message names it. A client has 500 collections at most in each mode.',
    access: COLLECTION_ACCESS,
    errors: ['not_found', 'conflict'],
    idempotent: true,
    success: { statuses: [201], headers: ['Location', 'ETag'] },
    body: Type.Object(
      {
        name: nameMember(),
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
