import Type from 'typebox';
import { type CollectionStore, shownCollection } from '../../catalog/collection.ts';
import { API_VERSION } from '../../common/version.ts';
import { type Route, route } from '../../http/route.ts';
import { pageAfter, pageAround, pageMembers, pageOrDefault, paginated } from '../schemas/page.ts';
import { COLLECTION_ACCESS, CollectionSchema } from './collection-schema.ts';

/**
 * The most lists that a node makes for a client at the same time. Each may add up the tracks of a hundred collections, a
 * million, while other requests wait for the same database.
 */
const MAX_CONCURRENT = 8;

/** GET /v1/collections: lists the collections that the client may read (docs/contract/collections.md#reads). */
export function listCollections({
  collections,
}: {
  collections: Pick<CollectionStore, 'list'>;
}): Route {
  return route({
    operationId: 'listCollections',
    method: 'GET',
    path: '/v1/collections',
    version: API_VERSION,
    tag: 'Collections',
    summary: 'List collections',
    description: `Yours, and those that other clients of your account share with you. Newest first. A client may request ${MAX_CONCURRENT} lists at a time.`,
    access: COLLECTION_ACCESS,
    errors: [],
    maxConcurrent: MAX_CONCURRENT,
    retrySeconds: 1,
    query: Type.Object({
      ...pageMembers,
      shared: Type.Optional(
        Type.Boolean({
          description:
            'Only collections of other clients (`true`), or only yours (`false`). By default, both.',
          examples: [false],
        }),
      ),
    }),
    data: paginated(CollectionSchema, 'CollectionPage'),
    async handle({ query, caller }) {
      const { page, pageSize } = pageOrDefault(query);
      const found = await collections.list(caller!, {
        shared: query.shared,
        offset: (page - 1) * pageSize,
        limit: pageSize,
      });
      const data = pageAround(found.collections.map(shownCollection), found.total, query);
      return { data, nextPage: pageAfter(data.currentPage, data.totalPages) };
    },
  });
}
