import Type from 'typebox';
import { API_VERSION } from '../../../common/version.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import { deletedSchema } from '../../../engines/http/schemas.ts';
import type { CollectionStore } from '../collection.ts';
import { COLLECTION_ACCESS, collectionParams } from './collection-schema.ts';

/** DELETE /v1/collections/{id} (docs/contract/collections.md#edits). */
export function deleteCollection({
  collections,
}: {
  collections: Pick<CollectionStore, 'delete'>;
}): Route {
  return route({
    operationId: 'deleteCollection',
    method: 'DELETE',
    path: '/v1/collections/{id}',
    version: API_VERSION,
    tag: 'Collections',
    summary: 'Delete a collection',
    description: 'With its shares. Its tracks stay in the catalog.',
    access: COLLECTION_ACCESS,
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
