import Type from 'typebox';
import { API_VERSION } from '../../../common/version.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import type { CollectionStore } from '../collection.ts';
import {
  COLLECTION_ACCESS,
  CollectionSchema,
  collectionParams,
  collectionResponse,
} from './collection-schema.ts';

/** GET /v1/collections/{id} (docs/contract/collections.md#reads). */
export function showCollection({
  collections,
}: {
  collections: Pick<CollectionStore, 'find'>;
}): Route {
  return route({
    operationId: 'showCollection',
    method: 'GET',
    path: '/v1/collections/{id}',
    version: API_VERSION,
    tag: 'Collections',
    summary: 'Read a collection',
    description:
      'Without its tracks, which `GET /v1/collections/{id}/tracks` lists. The response for a collection that you may not read is the same as for one that does not exist.',
    access: COLLECTION_ACCESS,
    errors: ['not_found'],
    params: Type.Object(collectionParams),
    success: { headers: ['ETag'] },
    data: CollectionSchema,
    async handle({ params, caller }) {
      return collectionResponse(await collections.find(params.id.toLowerCase(), caller!));
    },
  });
}
