import Type from 'typebox';
import { text } from '../../../common/schema-types.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import { deletedSchema } from '../../../engines/http/schemas.ts';
import type { CollectionStore } from '../store/collection-store.ts';
import { COLLECTIONS, collectionParams } from './collection-schema.ts';

interface Dependencies {
  collections: CollectionStore;
}

const CLIENT_ID = text(
  'The id of another client of your account, in either case.',
  '5f0c8c0e-9d0b-4a51-9c55-0f3c2c6f9a11',
);

const SHARED = {
  ...COLLECTIONS,
  errors: ['not_found'],
} as const;

const shareParams = Type.Object({ ...collectionParams, clientId: CLIENT_ID });

export function shareCollection({ collections }: Dependencies): Route {
  return route({
    ...SHARED,
    operationId: 'shareCollection',
    method: 'PUT',
    path: '/v1/collections/{id}/shares/{clientId}',
    summary: 'Share a collection with another client of your account',
    description:
      'The client can read the collection in the mode of your token, and cannot change it. A repeated request changes nothing.',
    params: shareParams,
    idempotent: true,
    body: Type.Object({}, { title: 'ShareRequest' }),
    emptyBody: true,
    data: Type.Object(
      { collectionId: collectionParams.id, clientId: CLIENT_ID },
      { title: 'Share' },
    ),
    handle({ params, change }) {
      const [collectionId, clientId] = [params.id.toLowerCase(), params.clientId.toLowerCase()];
      return change(
        (context) => collections.share(collectionId, clientId, context),
        () => ({ data: { collectionId, clientId } }),
      );
    },
  });
}

export function unshareCollection({ collections }: Dependencies): Route {
  return route({
    ...SHARED,
    operationId: 'unshareCollection',
    method: 'DELETE',
    path: '/v1/collections/{id}/shares/{clientId}',
    summary: 'End the share of a collection',
    description:
      'The client can no longer read the collection, also if it has left the account and comes back.',
    params: shareParams,
    idempotent: true,
    data: deletedSchema('DeletedShare'),
    handle({ params, change }) {
      const [collectionId, id] = [params.id.toLowerCase(), params.clientId.toLowerCase()];
      return change(
        (context) => collections.unshare(collectionId, id, context),
        () => ({ data: { id, deleted: true } }),
      );
    },
  });
}

export function listCollectionShares({ collections }: Dependencies): Route {
  return route({
    ...SHARED,
    operationId: 'listCollectionShares',
    method: 'GET',
    path: '/v1/collections/{id}/shares',
    summary: 'List the clients with whom a collection is shared',
    description: 'By name; clients that have left the account come last. Only for the owner.',
    params: Type.Object(collectionParams),
    data: Type.Object(
      {
        items: Type.Array(
          Type.Object(
            {
              clientId: CLIENT_ID,
              name: Type.Union([Type.String(), Type.Null()], {
                description: 'Null for a client that has left the account.',
                examples: ['Lindt Radio'],
              }),
              canRead: Type.Boolean({
                description:
                  'Whether the share counts. False for a client that has left the account.',
              }),
            },
            { title: 'CollectionShare' },
          ),
        ),
      },
      { title: 'CollectionShares' },
    ),
    async handle({ params, caller }) {
      return { data: { items: await collections.shares(params.id.toLowerCase(), caller!) } };
    },
  });
}
