import Type from 'typebox';
import type { Caller, LanguageView } from '../../../common/caller.ts';
import { API_VERSION } from '../../../common/version.ts';
import type { ChangeLog } from '../../../engines/change-log/change-log.ts';
import { refuseLostPosition } from '../../../engines/change-log/cursor.ts';
import { refuseUnlessGranted } from '../../../engines/http/guard/authorize.ts';
import type { Readiness } from '../../../engines/http/readiness.ts';
import { invalidRequest } from '../../../engines/http/response/errors.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import type { CatalogStore, LiveDocument } from '../../catalog/catalog-stores.ts';
import type { LiveCatalog } from '../../catalog/live/live-catalog.ts';
import type { LiveLanguages } from '../../catalog/live/live-languages.ts';
import type { Languages } from '../../languages/languages.ts';
import { languageParameter } from '../../languages/routes/language.ts';
import { type ResumePoint, readResume } from './resume-token.ts';
import { snapshotChunks } from './snapshot-lines.ts';

/** The responses that a client may receive at the same time from one node. */
const MAX_CONCURRENT = 2;

const CONTENT_TYPE = 'application/x-ndjson';

/**
 * GET /v1/tracks/snapshot: streams all live tracks, and the position in the change log from which they are followed
 * (docs/contract/snapshot.md#snapshot).
 */
export function readTrackSnapshot({
  catalog,
  store,
  readiness,
  publicUrl,
}: {
  catalog: Pick<LiveCatalog, 'size' | 'languages'>;
  store: { catalog: Pick<CatalogStore, 'liveDocuments'>; changes: Pick<ChangeLog, 'bounds'> };
  readiness: Pick<Readiness, 'draining'>;
  /** The base of the service's own URLs, without a trailing slash. */
  publicUrl: () => string;
}): Route {
  return route({
    operationId: 'readTrackSnapshot',
    method: 'GET',
    path: '/v1/tracks/snapshot',
    version: API_VERSION,
    tag: 'Sync',
    summary: 'Download the whole catalog',
    description: `All live tracks as lines of JSON, each with a member \`type\`:

- \`{"type":"snapshot","cursor":"c1.…","seq":4711,"takenAt":"…","tracks":1000000}\` is the first line. The cursor is taken before the tracks are read: \`GET /v1/tracks/changes?cursor=…\` continues from it.
- \`{"type":"track","track":{…}}\` has the members of a track except \`streamUrl\` and \`streamUrlExpiresAt\`. The order is unspecified.
- \`{"type":"mark","resume":"r1.…"}\` follows every 10,000th track.
- \`{"type":"end","tracks":1000123,"sha256":"…"}\` is the last line: the number of the lines with tracks in this response, and the SHA-256 of these lines, each with its line feed, without compression.

A body without an \`end\` line is incomplete: request the rest with \`resume\` of the last mark. A client may receive ${MAX_CONCURRENT} of these responses at a time.`,
    access: { scope: 'changes', feature: 'changes' },
    errors: ['gone'],
    maxConcurrent: MAX_CONCURRENT,
    query: Type.Object({
      resume: Type.Optional(
        Type.String({
          maxLength: 200,
          description:
            '`resume` of a mark: only the tracks after it, with the `cursor` and the `seq` of the first response.',
          examples: ['r1.10000.c1.xz3fUeZ8TA8AAAAAAAASZw'],
        }),
      ),
      ...languageParameter,
    }),
    localized: 'parameter',
    data: undefined,
    produces: [CONTENT_TYPE],
    async handle({ query, now, caller }) {
      const resumed = query.resume === undefined ? undefined : resumePointOf(query.resume);
      // The position comes before the tracks: a change that the walk sees as well is only repeated.
      const bounds = await store.changes.bounds();
      if (resumed !== undefined) {
        refuseLostPosition(resumed.position, bounds);
      }
      const { position, after } = resumed ?? {
        position: { epoch: bounds.epoch!, seq: bounds.head },
        after: 0,
      };
      const view = viewOf(catalog.languages.all, caller!, query.language, resumed?.language);
      const language = view?.language;
      const documents = store.catalog.liveDocuments(after);
      const chunks = snapshotChunks(
        { position, after, takenAt: now, tracks: catalog.size, ...(language && { language }) },
        {
          documents:
            view === undefined ? documents : localizedSlices(catalog.languages, documents, view),
          publicUrl: publicUrl(),
          isEnding: () => readiness.draining(),
        },
      );
      const headers = view && { 'Content-Language': view.contentLanguage };
      return { chunks, contentType: CONTENT_TYPE, ...(headers && { headers }) };
    },
  });
}

/**
 * Returns the view of a download: as the request says, or as the first request of a download that continues. Throws if
 * the caller may not choose a language any more.
 */
function viewOf(
  languages: Languages,
  caller: Caller,
  requested: string | undefined,
  resumed: string | undefined,
): LanguageView | undefined {
  if (requested !== undefined || resumed === undefined) return caller.language;
  refuseUnlessGranted(caller, { scope: 'localization', feature: 'localization' });
  return languages.forTag(resumed);
}

async function* localizedSlices(
  languages: Pick<LiveLanguages, 'uncached'>,
  slices: AsyncIterable<readonly LiveDocument[]>,
  view: LanguageView,
): AsyncGenerator<readonly LiveDocument[]> {
  for await (const slice of slices) yield await languages.uncached(slice, view);
}

function resumePointOf(resume: string): ResumePoint {
  const point = readResume(resume);
  if (point !== undefined) {
    return point;
  }
  throw invalidRequest([{ field: 'resume', message: 'resume must be that of a mark, unchanged' }]);
}
