import Type from 'typebox';
import { API_VERSION } from '../../../common/version.ts';
import { Places } from '../../../engines/http/guard/concurrency.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import {
  pageAfter,
  pageAround,
  pageMembers,
  pageOrDefault,
  paginated,
} from '../../../engines/http/schemas.ts';
import { type CollectionStore, shownCollection } from '../collection.ts';
import { COLLECTION_ACCESS, CollectionSchema } from './collection-schema.ts';

/**
 * The most lists that are made for a client at the same time, and how many of its further requests wait, for how long. Each
 * list may add up the tracks of a hundred collections, a million, while other requests wait for the same database.
 */
const LIMITS = { most: 8, mostWaiting: 100, waitMs: 10_000 };

/** GET /v1/collections: lists the collections that the client may read (docs/contract/collections.md#reads). */
export function listCollections({
  collections,
}: {
  collections: Pick<CollectionStore, 'list'>;
}): Route {
  const places = new Places(LIMITS);
  return route({
    operationId: 'listCollections',
    method: 'GET',
    path: '/v1/collections',
    version: API_VERSION,
    tag: 'Collections',
    summary: 'List collections',
    description: `Yours, and those that other clients of your account share with you. Newest first. While ${LIMITS.most} lists of a client are made, its further requests wait.`,
    access: COLLECTION_ACCESS,
    errors: [],
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
    async handle({ query, caller, whenGone }) {
      const { page, pageSize } = pageOrDefault(query);
      const found = await places.at(caller!.clientId, whenGone, () =>
        collections.list(caller!, {
          shared: query.shared,
          offset: (page - 1) * pageSize,
          limit: pageSize,
        }),
      );
      const data = pageAround(found.collections.map(shownCollection), found.total, query);
      return { data, nextPage: pageAfter(data.currentPage, data.totalPages) };
    },
  });
}
