import { API_VERSION } from '../../kernel/version.ts';
import { type Route, route } from '../route.ts';
import { FoundTracksSchema } from '../schemas/track.ts';
import { answerTracks, type TrackSources } from '../tracks/track-answer.ts';
import { SearchBody } from '../tracks/track-question.ts';

/** POST /v1/search: the catalog by a JSON body. Equal to GET /v1/tracks for the same question. */
export function searchTracks(sources: TrackSources): Route {
  return route({
    operationId: 'searchTracks',
    method: 'POST',
    path: '/v1/search',
    version: API_VERSION,
    tag: 'Tracks',
    summary: 'Search tracks with a JSON body',
    description:
      'The same question as `GET /v1/tracks`, with the same `data` in answer. All members are optional, `{}` asks for everything; a member it does not know is refused, for a typo would silently widen the result.',
    access: { scope: 'search' },
    errors: [],
    body: SearchBody,
    data: FoundTracksSchema,
    cacheable: true,
    handle: ({ body: { query: text, ...question }, caller }) =>
      answerTracks(sources, { ...question, ...(text !== undefined && { text }) }, caller!),
  });
}
