import Type from 'typebox';
import { CallerGone } from '../../../engines/http/response/errors.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import type { LiveCatalog } from '../../catalog/live/live-catalog.ts';
import type { ExampleAudio } from '../../sound/example-audio.ts';
import { detectedValues } from '../../sound/sound.ts';
import {
  DEFAULT_BPM_RANGE,
  DEFAULT_LIMIT,
  restrictionMembers,
  SimilarTracksSchema,
  similarPage,
} from './list-similar-tracks.ts';
import { queryWarnings } from './query-warnings.ts';
import type { TrackPages } from './track-page.ts';

const MAX_BYTES = 20 * 1024 * 1024;
const MAX_CONCURRENT = 2;
const PER_MINUTE = 10;

/** See docs/contract/similar.md#by-example. */
export function searchByAudio({
  catalog,
  pages,
  exampleAudio,
}: {
  catalog: Pick<LiveCatalog, 'hasKey' | 'soundingLike' | 'unknownFilters' | 'search' | 'languages'>;
  pages: Pick<TrackPages, 'list'>;
  exampleAudio: ExampleAudio;
}): Route {
  return route({
    operationId: 'searchByAudio',
    method: 'POST',
    path: '/v1/search/by-audio',
    tag: 'Similar',
    summary: 'Find tracks that sound like an audio file',
    description:
      'The body is the file, of at most 20 MiB and 10 minutes, in any format of imports. It is analyzed, and nothing of it is kept. The response is that of `listSimilarTracks` by sound. A client may send two files at a time, and ten a minute; further requests are refused before their body. Silence, damaged audio, and audio that takes more than 20 s to decode is 400. If the operator has switched the analysis of audio off, 409.',
    access: { scope: 'similar', feature: 'similar' },
    errors: ['conflict'],
    query: Type.Object(restrictionMembers),
    body: Type.Unsafe<Buffer>({
      type: 'string',
      format: 'binary',
      description: 'The bytes of the audio file.',
    }),
    consumes: ['application/octet-stream', 'audio/*'],
    maxBodyBytes: MAX_BYTES,
    maxConcurrent: MAX_CONCURRENT,
    retrySeconds: 1,
    file: { perMinute: PER_MINUTE },
    localized: 'header',
    data: SimilarTracksSchema,
    async handle({ query, body, whenGone, recheckCaller }) {
      const { limit = DEFAULT_LIMIT, language, ...restrictions } = query;
      exampleAudio.refuseIfOff();
      const gone = whenGone();
      const analysis = await exampleAudio.analyze(body, gone).catch((error: unknown) => {
        throw gone.aborted ? new CallerGone() : error;
      });
      const { bpm, songKey = [] } = detectedValues(analysis);
      const { vector } = analysis;
      const found = catalog.soundingLike({
        ...restrictions,
        limit,
        bpmRange: DEFAULT_BPM_RANGE,
        example: { sound: new Uint8Array(vector), bpm: Number(bpm ?? 0), songKeys: songKey },
      });
      return similarPage(found, await recheckCaller(), {
        pages,
        warnings: queryWarnings(catalog, {
          unknown: catalog.unknownFilters(restrictions),
          language,
        }),
      });
    },
  });
}
