import Type from 'typebox';
import { API_VERSION } from '../../../common/version.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import { refuseEmpty } from '../../../engines/http/schemas.ts';
import type { CollectionStore } from '../collection.ts';
import {
  COLLECTION_ACCESS,
  CollectionSchema,
  collectionParams,
  collectionResponse,
  longText,
  nameMember,
} from './collection-schema.ts';

/** PATCH /v1/collections/{id} (docs/contract/collections.md#edits). */
export function updateCollection({
  collections,
}: {
  collections: Pick<CollectionStore, 'update'>;
}): Route {
  return route({
    operationId: 'updateCollection',
    method: 'PATCH',
    path: '/v1/collections/{id}',
    version: API_VERSION,
    tag: 'Collections',
    summary: 'Change the name or the description of a collection',
    description: 'Members that are not sent stay as they are.',
    access: COLLECTION_ACCESS,
    errors: ['not_found'],
    params: Type.Object(collectionParams),
    idempotent: true,
    needsMatch: true,
    success: { headers: ['ETag'] },
    body: Type.Object(
      {
        name: Type.Optional(nameMember()),
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
