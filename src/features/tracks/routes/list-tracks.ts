import { API_VERSION } from '../../../common/version.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import { LICENSABLE_IN_ACCESS, licensableInProblems } from './licensable-in.ts';
import { FoundTracksSchema } from './schemas/track.ts';
import { ListTracksQuery } from './track-query.ts';
import { foundTracks, type TrackSources } from './tracks-response.ts';

/**
 * GET /v1/tracks: lists the catalog by query parameters. The response equals that of POST /v1/search for the
 * same query.
 */
export function listTracks(sources: TrackSources): Route {
  return route({
    operationId: 'listTracks',
    method: 'GET',
    path: '/v1/tracks',
    version: API_VERSION,
    tag: 'Tracks',
    summary: 'List and filter tracks',
    description:
      'Newest release first; with `search`, best match first; or in the order of `sort`. The order is total, so pages neither overlap nor skip tracks while the catalog does not change. An unknown parameter is an error, because a typo would silently widen the result, and so is a repeated one; parameters that begin with `_` or `utm_` are ignored.',
    access: { scope: 'tracks' },
    // For `licensableIn`.
    errors: ['feature_not_enabled'],
    restricted: LICENSABLE_IN_ACCESS,
    query: ListTracksQuery,
    checkQuery: (query) => licensableInProblems(query),
    localized: 'header',
    data: FoundTracksSchema,
    cacheable: true,
    handle: ({ query: { search: text, ...query }, caller }) =>
      foundTracks(sources, { ...query, ...(text !== undefined && { text }) }, caller!),
  });
}
