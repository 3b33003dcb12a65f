import { createHash } from 'node:crypto';
import Type from 'typebox';
import type { Caller, LanguageView } from '../../../common/caller.ts';
import type { FieldProblem } from '../../../common/errors.ts';
import type { ChangeLog } from '../../../engines/change-log/change-log.ts';
import {
  type LogPosition,
  readCursor,
  refuseLostPosition,
  writeCursor,
} from '../../../engines/change-log/positions.ts';
import { refuseUnlessGranted } from '../../../engines/http/guard/authorize.ts';
import type { Readiness } from '../../../engines/http/readiness.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import type { LiveDocument } from '../../catalog/catalog-stores.ts';
import type { LiveCatalog } from '../../catalog/live/live-catalog.ts';
import type { LiveLanguages } from '../../catalog/live/live-languages.ts';
import type { CatalogStore } from '../../catalog/store/catalog-store.ts';
import { isLanguageTag, type Languages } from '../../languages/languages.ts';
import { languageParameter } from '../../languages/routes/language.ts';
import { artworkPath } from '../../media/artwork/artwork.ts';

/** The responses that a client may receive at the same time from one node. */
const MAX_CONCURRENT = 2;

const CONTENT_TYPE = 'application/x-ndjson';

/** See docs/contract/snapshot.md#snapshot. */
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
    checkQuery: ({ resume }) => resumeProblems(resume),
    data: undefined,
    produces: [CONTENT_TYPE],
    async handle({ query, now, caller }) {
      const resumed = query.resume === undefined ? undefined : readResume(query.resume)!;
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
 * Returns the view that the request chooses, or, if the download continues, that its first request chose. Throws if the
 * caller may not choose a language any more.
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

function resumeProblems(resume: string | undefined): FieldProblem[] {
  return resume === undefined || readResume(resume) !== undefined
    ? []
    : [{ field: 'resume', message: 'resume must be that of a mark, unchanged' }];
}

/** The number of tracks between two marks. */
const MARK_INTERVAL = 10_000;
/** The greatest number of tracks in a chunk, which then has some 50 KB. */
const CHUNK_TRACKS = 50;

/** What a response says of itself in its first line. */
export interface SnapshotHead extends ResumePoint {
  /** In milliseconds since the epoch. */
  takenAt: number;
  /** The number of live tracks. */
  tracks: number;
}

/** Where the lines come from, and what ends them. */
export interface SnapshotSource {
  /** The live tracks after the row id of the head, in the order of row ids. */
  documents: AsyncIterable<readonly LiveDocument[]>;
  /** The base of the service's own URLs, without a trailing slash. */
  publicUrl: string;
  /** Whether the lines must end early, without the last one. */
  isEnding(): boolean;
}

/** Writes the lines of a snapshot in chunks, as they are asked for. */
export async function* snapshotChunks(
  { position, takenAt, tracks, language }: SnapshotHead,
  { documents, publicUrl, isEnding }: SnapshotSource,
): AsyncGenerator<Buffer> {
  const cursor = writeCursor(position);
  const time = new Date(takenAt).toISOString();
  yield line({ type: 'snapshot', cursor, seq: position.seq, takenAt: time, tracks });
  const sha256 = createHash('sha256');
  let sent = 0;
  for await (const slice of documents) {
    for (let from = 0; from < slice.length; ) {
      if (isEnding()) return;
      const length = Math.min(CHUNK_TRACKS, MARK_INTERVAL - (sent % MARK_INTERVAL));
      const part = slice.slice(from, from + length);
      const lines = Buffer.from(part.map((track) => trackLine(track, publicUrl)).join(''));
      sha256.update(lines);
      yield lines;
      from += part.length;
      sent += part.length;
      if (sent % MARK_INTERVAL === 0) {
        const after = part.at(-1)!.rowId;
        const resume = writeResume({ position, after, ...(language && { language }) });
        yield line({ type: 'mark', resume });
      }
    }
  }
  yield line({ type: 'end', tracks: sent, sha256: sha256.digest('hex') });
}

/** Leaves out the signed URL, which would expire during the download. */
function trackLine({ document: { json, id, artworkKey } }: LiveDocument, publicUrl: string) {
  return `{"type":"track","track":${json},"artworkUrl":"${publicUrl}${artworkPath(id, artworkKey)}"}}\n`;
}

function line(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

/** A row id, perhaps a language, and a cursor. */
const TOKEN = /^r1\.([1-9]\d{0,14})(?:\.([A-Za-z0-9-]+))?\.(c1\..*)$/;

export interface ResumePoint {
  /** The position of the first response. */
  position: LogPosition;
  /** The row id of the last track that was sent. It never changes. */
  after: number;
  /** The language tag that the first request asked for. */
  language?: string;
}

function writeResume({ position, after, language }: ResumePoint): string {
  const chosen = language === undefined ? '' : `.${language}`;
  return `r1.${after}${chosen}.${writeCursor(position)}`;
}

/** Reads the token of a mark; undefined for any other text. */
export function readResume(resume: string): ResumePoint | undefined {
  const [, after, language, cursor] = TOKEN.exec(resume) ?? [];
  if (language !== undefined && !isLanguageTag(language)) return undefined;
  const position = cursor === undefined ? undefined : readCursor(cursor);
  return position && { position, after: Number(after), ...(language && { language }) };
}
