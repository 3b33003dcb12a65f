import { API_VERSION } from '../../kernel/version.ts';
import { type Route, route } from '../route.ts';
import { FoundTracksSchema } from '../schemas/track.ts';
import { answerTracks, type TrackSources } from './track-answer.ts';
import { ListTracksQuery } from './track-question.ts';

/** GET /v1/tracks: the catalog by query parameters. Equal to POST /v1/search for the same question. */
export function listTracks(sources: TrackSources): Route {
  return route({
    operationId: 'listTracks',
    method: 'GET',
    path: '/v1/tracks',
    version: API_VERSION,
    tag: 'Tracks',
    summary: 'List and filter tracks',
    description:
      'Newest release first; with `search`, best match first; or as `sort` says. The order is total, so pages neither overlap nor skip while the catalog stands still. Parameters it does not know are passed over; a repeated one is refused.',
    access: { scope: 'tracks' },
    errors: [],
    query: ListTracksQuery,
    data: FoundTracksSchema,
    cacheable: true,
    handle: ({ query: { search: text, ...question }, caller }) =>
      answerTracks(sources, { ...question, ...(text !== undefined && { text }) }, caller!),
  });
}
