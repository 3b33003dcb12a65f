import type { Caller } from '../../../common/caller.ts';
import { type Handled, type Route, route } from '../../../engines/http/route/route.ts';
import { pageAround } from '../../../engines/http/schemas.ts';
import type { CatalogQuery } from '../../catalog/live/catalog-query.ts';
import type { LiveCatalog } from '../../catalog/live/live-catalog.ts';
import { type BriefRequest, briefProblems } from './brief-members.ts';
import { type BriefSources, briefResponse, SearchedTracksSchema } from './brief-search.ts';
import { queryWarnings } from './query-warnings.ts';
import { facetsJson } from './track-facets.ts';
import type { TrackPages } from './track-page.ts';
import {
  catalogProblems,
  catalogQuery,
  LICENSABLE_IN_ACCESS,
  ListTracksQuery,
  licensableRestriction,
  queryProblems,
  type RegionGroupsOf,
  requestedPage,
  SearchBody,
  searchedQuery,
  type TrackQuery,
} from './track-query.ts';
import { FoundTracksSchema } from './track-schemas.ts';

/** The response equals that of POST /v1/search for the same query. */
export function listTracks(sources: TrackSources): Route {
  return route({
    operationId: 'listTracks',
    method: 'GET',
    path: '/v1/tracks',
    tag: 'Tracks',
    summary: 'List and filter tracks',
    description:
      'Newest release first; with `search`, best match first; or in the order of `sort`. The order is total, so pages neither overlap nor skip tracks while the catalog does not change. An unknown parameter is an error, because a typo would silently widen the result, and so is a repeated one; parameters that begin with `_` or `utm_` are ignored.',
    access: { scope: 'tracks' },
    // For `licensableIn`.
    errors: ['feature_not_enabled'],
    restricted: LICENSABLE_IN_ACCESS,
    query: ListTracksQuery,
    checkQuery: (query) => [...queryProblems(query), ...catalogProblems(sources.catalog, query)],
    localized: 'header',
    data: FoundTracksSchema,
    cacheable: true,
    handle: ({ query: { search: text, ...query }, caller }) =>
      foundTracks(sources, { ...query, ...(text !== undefined && { text }) }, caller!),
  });
}

export function searchTracks(sources: TrackSources & BriefSources): Route {
  return route({
    operationId: 'searchTracks',
    method: 'POST',
    path: '/v1/search',
    isRead: true,
    tag: 'Tracks',
    summary: 'Search tracks with a JSON body',
    description:
      'The same query as `GET /v1/tracks`, with the same `data` in the response, or a brief in plain words. All members are optional; `{}` matches all tracks. An unknown member is an error, because a typo would silently widen the result.',
    access: { scope: 'search' },
    // For `licensableIn`.
    errors: ['feature_not_enabled'],
    restricted: LICENSABLE_IN_ACCESS,
    body: SearchBody,
    checkBody: (body) => [
      ...queryProblems(body),
      ...catalogProblems(sources.catalog, body),
      ...briefProblems(body),
    ],
    localized: 'header',
    data: SearchedTracksSchema,
    cacheable: true,
    handle: ({ body: { brief, ignore, ...body }, caller, now }) =>
      brief === undefined
        ? foundTracks(sources, searchedQuery(body), caller!)
        : foundByBrief(
            sources,
            { ...searchedQuery(body), brief, ...(ignore && { ignore }) },
            { caller: caller!, now },
          ),
  });
}

export interface TrackSources {
  catalog: Pick<LiveCatalog, 'search' | 'filters' | 'filterConflicts' | 'hasKey' | 'languages'>;
  pages: Pick<TrackPages, 'page'>;
  regionGroups: RegionGroupsOf;
}

/** Restrictions beside the members of a query: the time of creation, and regions. */
type Restriction = Pick<CatalogQuery, 'rowIdAbove' | 'rowIdTo' | 'regions' | 'territories'>;

/**
 * Returns one page of the tracks that match a query. With `licensableIn`, the response depends on the rate card of the
 * caller, and callers for whom the same regions count share it.
 */
function foundTracks(sources: TrackSources, query: TrackQuery, caller: Caller): Handled {
  const restriction = licensableRestriction(query, caller.clientId, sources.regionGroups);
  return restriction === undefined
    ? tracksResponse(sources, query, caller)
    : {
        sharedAs: restriction.regions.join(),
        make: () => tracksResponse(sources, query, caller, restriction),
      };
}

/** Like `foundTracks`. What a brief means by `new` depends on the day. */
function foundByBrief(
  sources: TrackSources & BriefSources,
  query: TrackQuery & BriefRequest,
  request: { caller: Caller; now: number },
): Handled {
  const { clientId } = request.caller;
  const restriction = licensableRestriction(query, clientId, sources.regionGroups);
  const day = new Date(request.now).toISOString().slice(0, 10);
  return {
    sharedAs: `${day} ${sources.briefs.version} ${restriction?.regions.join() ?? ''}`,
    make: () => briefResponse(sources, query, restriction ?? {}, request),
  };
}

/** Returns one page of the tracks that match. The rest is its documents and URLs. */
export function tracksResponse(
  { catalog, pages }: Pick<TrackSources, 'catalog' | 'pages'>,
  query: TrackQuery,
  caller: Caller,
  restriction: Restriction = {},
): Handled {
  const { total, rowIds, facets, unknown } = catalog.search(
    {
      ...catalogQuery(query),
      ...restriction,
      ...(caller.language && { aliases: true, view: caller.language }),
    },
    requestedPage(query, caller.mode),
  );
  const frame = {
    ...pageAround(rowIds, total, query),
    facets:
      facets && facetsJson(facets, catalog.filters(undefined, caller.language), catalog.filters()),
    warnings: queryWarnings(catalog, {
      unknown,
      songKey: total === 0 ? query.songKey : undefined,
      language: query.language,
    }),
  };
  return { rest: () => pages.page(frame, caller) };
}
