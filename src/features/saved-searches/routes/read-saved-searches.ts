import Type from 'typebox';
import { API_VERSION } from '../../../common/version.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import {
  pageAfter,
  pageAround,
  pageMembers,
  pageOrDefault,
  paginated,
} from '../../../engines/http/schemas.ts';
import { languageMember } from '../../languages/routes/language.ts';
import { tracksResponse } from '../../tracks/routes/find-tracks.ts';
import {
  licensableRestriction,
  refuseUnlicensed,
  resultMembers,
} from '../../tracks/routes/track-query.ts';
import { FoundTracksSchema } from '../../tracks/routes/track-schemas.ts';
import { savedQuery, savedSearchResponse, shownSearches } from './counts.ts';
import type { SavedSearchDependencies } from './dependencies.ts';
import {
  SAVED_SEARCH_ACCESS,
  SavedSearchSchema,
  savedSearchParams,
} from './saved-search-schema.ts';

const SHARED = {
  method: 'GET',
  version: API_VERSION,
  tag: 'Collections',
  access: SAVED_SEARCH_ACCESS,
} as const;

/** GET /v1/saved-searches (docs/contract/saved-searches.md#reads). */
export function listSavedSearches(deps: SavedSearchDependencies): Route {
  return route({
    ...SHARED,
    operationId: 'listSavedSearches',
    path: '/v1/saved-searches',
    summary: 'List saved searches',
    description: 'With the exact numbers of their tracks and of the new ones. Newest first.',
    errors: [],
    query: Type.Object(pageMembers),
    data: paginated(SavedSearchSchema, 'SavedSearchPage'),
    async handle({ query, caller }) {
      const { page, pageSize } = pageOrDefault(query);
      const found = await deps.store.savedSearches.list(caller!, {
        offset: (page - 1) * pageSize,
        limit: pageSize,
      });
      const shown = await shownSearches(deps, found.searches, caller!);
      const data = pageAround(shown, found.total, query);
      return { data, nextPage: pageAfter(data.currentPage, data.totalPages) };
    },
  });
}

/** GET /v1/saved-searches/{id} (docs/contract/saved-searches.md#reads). */
export function showSavedSearch(deps: SavedSearchDependencies): Route {
  return route({
    ...SHARED,
    operationId: 'showSavedSearch',
    path: '/v1/saved-searches/{id}',
    summary: 'Read a saved search',
    description:
      'With the exact numbers of its tracks and of the new ones. `GET /v1/saved-searches/{id}/tracks` lists the tracks.',
    errors: ['not_found'],
    params: Type.Object(savedSearchParams),
    success: { headers: ['ETag'] },
    data: SavedSearchSchema,
    async handle({ params, caller }) {
      const saved = await deps.store.savedSearches.find(params.id.toLowerCase(), caller!);
      return savedSearchResponse(deps, saved, caller!);
    },
  });
}

/** GET /v1/saved-searches/{id}/tracks (docs/contract/saved-searches.md#reads). */
export function listSavedSearchTracks(deps: SavedSearchDependencies): Route {
  return route({
    ...SHARED,
    operationId: 'listSavedSearchTracks',
    path: '/v1/saved-searches/{id}/tracks',
    summary: 'Page through the tracks of a saved search',
    description: 'The same `data` as `POST /v1/search` with the saved search as its body.',
    errors: ['not_found'],
    params: Type.Object(savedSearchParams),
    query: Type.Object({
      new: Type.Optional(
        Type.Boolean({
          default: false,
          description:
            'Whether to list only the tracks that are new since you marked them as seen.',
          examples: [true],
        }),
      ),
      ...resultMembers,
      ...languageMember,
    }),
    localized: 'header',
    data: FoundTracksSchema,
    async handle({ params, query: { new: onlyNew, ...requested }, caller }) {
      const saved = await deps.store.savedSearches.find(params.id.toLowerCase(), caller!);
      const query = { ...savedQuery(saved), ...requested };
      refuseUnlicensed(query, caller!);
      const restriction = licensableRestriction(query, caller!.clientId, deps.regionGroups);
      const created = onlyNew ? { rowIdAbove: saved.seenRowId } : {};
      return {
        sharedAs: `${created.rowIdAbove} ${restriction?.regions} ${saved.query}`,
        make: () => tracksResponse(deps, query, caller!, { ...created, ...restriction }),
      };
    },
  });
}
