import { API_VERSION } from '../../../common/version.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import { LICENSABLE_IN_ACCESS, licensableInProblems } from './licensable-in.ts';
import { FoundTracksSchema } from './schemas/track.ts';
import { SearchBody, searchedQuery } from './track-query.ts';
import { foundTracks, type TrackSources } from './tracks-response.ts';

/**
 * POST /v1/search: searches the catalog by a JSON body. The response equals that of GET /v1/tracks for the
 * same query.
 */
export function searchTracks(sources: TrackSources): Route {
  return route({
    operationId: 'searchTracks',
    method: 'POST',
    path: '/v1/search',
    version: API_VERSION,
    tag: 'Tracks',
    summary: 'Search tracks with a JSON body',
    description:
      'The same query as `GET /v1/tracks`, with the same `data` in the response. All members are optional; `{}` matches all tracks. An unknown member is an error, because a typo would silently widen the result.',
    access: { scope: 'search' },
    // For `licensableIn`.
    errors: ['feature_not_enabled'],
    restricted: LICENSABLE_IN_ACCESS,
    body: SearchBody,
    checkBody: (body) => licensableInProblems(body),
    localized: 'header',
    data: FoundTracksSchema,
    cacheable: true,
    handle: ({ body, caller }) => foundTracks(sources, searchedQuery(body), caller!),
  });
}
