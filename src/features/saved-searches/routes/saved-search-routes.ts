import Type from 'typebox';
import type { Clock } from '../../../common/clock.ts';
import { newSortableId } from '../../../common/ids.ts';
import { flag, integer, text, timestamp, uuid } from '../../../common/schema-types.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import {
  deletedSchema,
  nameText,
  pageMembers,
  pageResponse,
  paginated,
  rangeOf,
  refuseEmpty,
  warningsMember,
} from '../../../engines/http/schemas.ts';
import type { LiveCatalog } from '../../catalog/live/live-catalog.ts';
import { languageMember } from '../../languages/routes/language.ts';
import { type TrackSources, tracksResponse } from '../../tracks/routes/find-tracks.ts';
import {
  LICENSABLE_IN_ACCESS,
  licensableRestriction,
  queryProblems,
  refuseCatalogProblems,
  refuseUnlicensed,
  resultMembers,
  SavedQuery,
} from '../../tracks/routes/track-query.ts';
import { FoundTracksSchema } from '../../tracks/routes/track-schemas.ts';
import type { SavedSearchStore } from '../store/saved-search-store.ts';
import {
  editedSearchResponse,
  savedQuery,
  savedSearchResponse,
  shownSearches,
} from './saved-search-tracks.ts';

const SHARED = {
  tag: 'Collections',
  access: { scope: 'saved-searches', feature: 'saved-searches' },
} as const;

const ID = '0193a4c2-7b10-7c3e-9f10-5d2e8b7a6c41';

const savedSearchMembers = {
  name: nameText('The name, which is unique in upper and lower case.', 'Calm nights'),
  search: SavedQuery,
  notify: flag(
    'Whether your webhooks with `saved_search.matched` are told of new tracks, once a minute at most.',
    true,
  ),
};

/** See docs/contract/saved-searches.md#saved-search. */
const SavedSearchSchema = Type.Object(
  {
    id: uuid({ examples: [ID] }),
    ...savedSearchMembers,
    totalRecords: integer('The number of tracks that match now.', 4120),
    newCount: integer(
      'The number of those that were created after you last marked them as seen.',
      7,
    ),
    seenAt: timestamp({ examples: ['2026-11-20T16:05:12.345Z'] }),
    version: integer('The number of the edit, which `ETag` names.', 1, { minimum: 1 }),
    createdAt: timestamp({ examples: ['2026-11-02T09:30:00.000Z'] }),
    updatedAt: timestamp({ examples: ['2026-11-02T09:30:00.000Z'] }),
    ...warningsMember,
  },
  { title: 'SavedSearch', description: 'A search that a client keeps.' },
);

const savedSearchParams = {
  id: text('The id of the saved search, in either case.', ID),
};

interface SavedSearchDependencies extends TrackSources {
  catalog: TrackSources['catalog'] & Pick<LiveCatalog, 'unknownFilters'>;
  store: { savedSearches: SavedSearchStore };
  clock: Clock;
}

/** See docs/contract/saved-searches.md. */
export function savedSearchRoutes(deps: SavedSearchDependencies): Route[] {
  return [
    createSavedSearch(deps),
    listSavedSearches(deps),
    showSavedSearch(deps),
    updateSavedSearch(deps),
    deleteSavedSearch(deps),
    listSavedSearchTracks(deps),
    markSavedSearchSeen(deps),
  ];
}

/** GET /v1/saved-searches (docs/contract/saved-searches.md#reads). */
function listSavedSearches(deps: SavedSearchDependencies): Route {
  return route({
    ...SHARED,
    operationId: 'listSavedSearches',
    method: 'GET',
    path: '/v1/saved-searches',
    summary: 'List saved searches',
    description: 'With the exact numbers of their tracks and of the new ones. Newest first.',
    query: Type.Object(pageMembers),
    data: paginated(SavedSearchSchema, 'SavedSearchPage'),
    async handle({ query, caller }) {
      const { searches, total } = await deps.store.savedSearches.list(caller!, rangeOf(query));
      return pageResponse(await shownSearches(deps, searches, caller!), total, query);
    },
  });
}

/** GET /v1/saved-searches/{id} (docs/contract/saved-searches.md#reads). */
function showSavedSearch(deps: SavedSearchDependencies): Route {
  return route({
    ...SHARED,
    operationId: 'showSavedSearch',
    method: 'GET',
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
function listSavedSearchTracks(deps: SavedSearchDependencies): Route {
  return route({
    ...SHARED,
    operationId: 'listSavedSearchTracks',
    method: 'GET',
    path: '/v1/saved-searches/{id}/tracks',
    summary: 'Page through the tracks of a saved search',
    description: 'The same `data` as `POST /v1/search` with the saved search as its body.',
    errors: ['not_found'],
    params: Type.Object(savedSearchParams),
    query: Type.Object({
      new: Type.Optional(
        flag('Whether to list only the tracks that are new since you marked them as seen.', true, {
          default: false,
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

const RESTRICTED = { ...LICENSABLE_IN_ACCESS, within: 'search' };

const { name, search, notify } = savedSearchMembers;

/** POST /v1/saved-searches (docs/contract/saved-searches.md#edits). */
function createSavedSearch(deps: SavedSearchDependencies): Route {
  const { store, clock } = deps;
  return route({
    ...SHARED,
    idempotent: true,
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
    checkBody: ({ search: given = {} }) => queryProblems(given, 'search.'),
    handle({ body, caller, change }) {
      refuseCatalogProblems(deps.catalog, body.search, 'search.');
      const id = newSortableId(clock.now());
      const query = JSON.stringify(body.search);
      const content = { id, name: body.name, query, notify: body.notify ?? false };
      return change(
        (context) => store.savedSearches.create(content, context),
        (created) => ({
          ...editedSearchResponse(deps, created, caller!),
          headers: { Location: `/v1/saved-searches/${created.id}` },
        }),
      );
    },
  });
}

/** PATCH /v1/saved-searches/{id} (docs/contract/saved-searches.md#edits). */
function updateSavedSearch(deps: SavedSearchDependencies): Route {
  const { store } = deps;
  return route({
    ...SHARED,
    idempotent: true,
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
    checkBody: (body) => [...refuseEmpty(body), ...queryProblems(body.search ?? {}, 'search.')],
    data: SavedSearchSchema,
    handle({ params, body: { search: given, ...others }, caller, requireVersion, change }) {
      refuseCatalogProblems(deps.catalog, given ?? {}, 'search.');
      const content = { ...others, ...(given && { query: JSON.stringify(given) }) };
      const id = params.id.toLowerCase();
      return change(
        (context) => store.savedSearches.update(id, content, requireVersion, context),
        (updated) => editedSearchResponse(deps, updated, caller!),
      );
    },
  });
}

/** DELETE /v1/saved-searches/{id} (docs/contract/saved-searches.md#edits). */
function deleteSavedSearch({ store }: SavedSearchDependencies): Route {
  return route({
    ...SHARED,
    idempotent: true,
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
function markSavedSearchSeen(deps: SavedSearchDependencies): Route {
  return route({
    ...SHARED,
    idempotent: true,
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
          integer('The number of a change, such as the `seq` of a webhook message.', 4711, {
            maximum: Number.MAX_SAFE_INTEGER,
          }),
        ),
      },
      { title: 'SeenRequest' },
    ),
    emptyBody: true,
    data: SavedSearchSchema,
    handle: ({ params, body, caller, change }) =>
      change(
        (context) => deps.store.savedSearches.see(params.id.toLowerCase(), body.seq, context),
        (saved) => savedSearchResponse(deps, saved, caller!),
      ),
  });
}
