import Type from 'typebox';
import { newSortableId } from '../../../common/ids.ts';
import { API_VERSION } from '../../../common/version.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import { deletedSchema, refuseEmpty } from '../../../engines/http/schemas.ts';
import { LICENSABLE_IN_ACCESS, licensableInProblems } from '../../tracks/routes/track-query.ts';
import { savedSearchResponse } from './counts.ts';
import type { SavedSearchDependencies } from './dependencies.ts';
import {
  SAVED_SEARCH_ACCESS,
  SavedSearchSchema,
  savedSearchMembers,
  savedSearchParams,
} from './saved-search-schema.ts';

const SHARED = {
  version: API_VERSION,
  tag: 'Collections',
  access: SAVED_SEARCH_ACCESS,
  idempotent: true,
} as const;

const RESTRICTED = { ...LICENSABLE_IN_ACCESS, within: 'search' };

const { name, search, notify } = savedSearchMembers;

/** POST /v1/saved-searches (docs/contract/saved-searches.md#edits). */
export function createSavedSearch(deps: SavedSearchDependencies): Route {
  const { store, clock } = deps;
  return route({
    ...SHARED,
    operationId: 'createSavedSearch',
    method: 'POST',
    path: '/v1/saved-searches',
    summary: 'Save a search',
    description:
      'The tracks that exist now count as seen. Unknown filters are allowed; they match nothing until they exist. A client has 100 saved searches at most in each mode, each with another name.',
    errors: ['conflict'],
    success: { statuses: [201], headers: ['Location', 'ETag'] },
    restricted: RESTRICTED,
    body: Type.Object(
      { name, search, notify: Type.Optional(notify) },
      { title: 'SavedSearchRequest' },
    ),
    data: SavedSearchSchema,
    checkBody: ({ search: given }) => licensableInProblems(given, 'search.licensableIn'),
    handle({ body, caller, change }) {
      const id = newSortableId(clock.now());
      const query = JSON.stringify(body.search);
      const content = { id, name: body.name, query, notify: body.notify ?? false };
      return change(
        (context) => store.savedSearches.create(content, context),
        (created) => ({
          ...savedSearchResponse(deps, created, caller!),
          headers: { Location: `/v1/saved-searches/${created.id}` },
        }),
      );
    },
  });
}

/** PATCH /v1/saved-searches/{id} (docs/contract/saved-searches.md#edits). */
export function updateSavedSearch(deps: SavedSearchDependencies): Route {
  const { store } = deps;
  return route({
    ...SHARED,
    operationId: 'updateSavedSearch',
    method: 'PATCH',
    path: '/v1/saved-searches/{id}',
    summary: 'Change a saved search',
    description:
      'Members that are not sent stay as they are. `search` is replaced as a whole. What was seen stays seen.',
    errors: ['not_found', 'conflict'],
    params: Type.Object(savedSearchParams),
    needsMatch: true,
    success: { headers: ['ETag'] },
    restricted: RESTRICTED,
    body: Type.Object(
      {
        name: Type.Optional(name),
        search: Type.Optional(search),
        notify: Type.Optional(notify),
      },
      { title: 'SavedSearchEdit' },
    ),
    checkBody: (body) => [
      ...refuseEmpty(body),
      ...licensableInProblems(body.search ?? {}, 'search.licensableIn'),
    ],
    data: SavedSearchSchema,
    handle({ params, body: { search: given, ...others }, caller, requireVersion, change }) {
      const content = { ...others, ...(given && { query: JSON.stringify(given) }) };
      const id = params.id.toLowerCase();
      return change(
        (context) => store.savedSearches.update(id, content, requireVersion, context),
        (updated) => savedSearchResponse(deps, updated, caller!),
      );
    },
  });
}

/** DELETE /v1/saved-searches/{id} (docs/contract/saved-searches.md#edits). */
export function deleteSavedSearch({ store }: SavedSearchDependencies): Route {
  return route({
    ...SHARED,
    operationId: 'deleteSavedSearch',
    method: 'DELETE',
    path: '/v1/saved-searches/{id}',
    summary: 'Delete a saved search',
    description: 'Its tracks stay in the catalog.',
    errors: ['not_found'],
    params: Type.Object(savedSearchParams),
    needsMatch: true,
    data: deletedSchema('DeletedSavedSearch'),
    handle({ params, requireVersion, change }) {
      const id = params.id.toLowerCase();
      return change(
        (context) => store.savedSearches.delete(id, requireVersion, context),
        () => ({ data: { id, deleted: true } }),
      );
    },
  });
}

/** POST /v1/saved-searches/{id}/seen (docs/contract/saved-searches.md#new-tracks). */
export function markSavedSearchSeen(deps: SavedSearchDependencies): Route {
  return route({
    ...SHARED,
    operationId: 'markSavedSearchSeen',
    method: 'POST',
    path: '/v1/saved-searches/{id}/seen',
    summary: 'Mark the new tracks of a saved search as seen',
    description:
      'All tracks that exist now, or with `seq` only those that were created up to that change, so that tracks that arrive meanwhile stay new. Tracks that were seen stay seen. The version stays as it is.',
    errors: ['not_found'],
    params: Type.Object(savedSearchParams),
    success: { headers: ['ETag'] },
    body: Type.Object(
      {
        seq: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: Number.MAX_SAFE_INTEGER,
            description: 'The number of a change, such as the `seq` of a webhook message.',
            examples: [4711],
          }),
        ),
      },
      { title: 'SeenRequest' },
    ),
    data: SavedSearchSchema,
    handle: ({ params, body, caller, change }) =>
      change(
        (context) => deps.store.savedSearches.see(params.id.toLowerCase(), body.seq, context),
        (saved) => savedSearchResponse(deps, saved, caller!),
      ),
  });
}
