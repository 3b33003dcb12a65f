import { createHash } from 'node:crypto';
import { Type } from 'typebox';
import { StaveError, unavailable } from '../../../common/errors.ts';
import type { OpenCounts } from '../../../common/memory/open-counts.ts';
import { text } from '../../../common/schema-types.ts';
import { extensionOf } from '../../../engines/blobs/content-types.ts';
import {
  type Representation,
  representationResponse,
} from '../../../engines/http/response/representation.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import type { TrackWithParts } from '../../catalog/catalog-stores.ts';
import { PART_LISTS, type TrackPart } from '../../catalog/track-parts.ts';
import { contentDisposition, mediaFileName } from '../file-name.ts';
import type { UrlTicket } from '../signed-url.ts';
import type { ArchiveEntry } from '../zip-archive.ts';
import {
  reservation,
  SIGNED_MEDIA_ERRORS,
  SIGNED_MEDIA_ROUTE,
  type SignedMedia,
} from './signed-media.ts';

/** The archives that a node sends at the same time. */
const MAX_ARCHIVES = 4;
const MAX_OF_CLIENT = 2;
/** Archives take minutes. */
const RETRY_SECONDS = 60;
/** Larger than usual, so that the cost of each block is spread over more bytes. */
const BLOCK_BYTES = 512 * 1024;
const CONCURRENT_LOOKUPS = 8;

interface PartEntry extends ArchiveEntry {
  key: string;
}

/** `GET /media/archive/{trackId}`: all parts of a track as a ZIP file, for the holder of a signed URL. */
export function archiveRoute({ signed, open }: { signed: SignedMedia; open: OpenCounts }): Route {
  return route({
    ...SIGNED_MEDIA_ROUTE,
    operationId: 'streamArchive',
    path: '/media/archive/{trackId}',
    tag: 'Stems',
    summary: 'Download all parts of a track as a ZIP file',
    description:
      'The `archiveUrl` of the list of the stems of a track. Its query must be sent exactly as received. The files are ' +
      'stored without compression, as `<slug>/stems/NN-<kind>.<ext>` and `<slug>/versions/NN-<kind>.<ext>`; NN is the ' +
      'place in the list. `Content-Length` is exact. Ranges are not supported. A node sends four archives at a time, ' +
      'two of them to the same client; a further request gets `unavailable` with `Retry-After`.',
    errors: SIGNED_MEDIA_ERRORS.filter((kind) => kind !== 'range_not_satisfiable'),
    params: Type.Object({
      trackId: text('The track’s id.', '2ec42c35-fd63-57d8-8763-47b0328ef627'),
    }),
    produces: ['application/zip'],
    async handle(request) {
      const { ticket, track } = await signed.openArchive(request);
      const entries = entriesOf(track);
      if (entries.length === 0) {
        throw new StaveError('not_found', 'The track has neither stems nor versions.');
      }
      // Loaded with the first archive.
      const { zipArchive } = await import('../zip-archive.ts');
      const archive = zipArchive(entries, ({ key }) =>
        signed.media.read(key, undefined, BLOCK_BYTES),
      );
      const response = await representationResponse(request, {
        etag: etagOf(entries),
        modifiedAt: undefined,
        contentType: 'application/zip',
        headers: {
          'Cache-Control': signed.cacheControl(ticket),
          'Accept-Ranges': 'none',
          'Content-Disposition': contentDisposition('attachment', mediaFileName(track, 'zip')),
          ...reservation(track.forbidsTraining),
        },
        hasRanges: false,
        sizeBytes: async () => archive.sizeBytes,
        async open() {
          const leave = enter(open, ticket);
          try {
            await checkFiles(signed, entries);
            return archive.read().once('close', leave);
          } catch (error) {
            leave();
            throw error;
          }
        },
      });
      return signed.counted(request, ticket, {
        kind: 'archive',
        trackId: track.id,
        response,
      });
    },
  });
}

/** Takes a place, and returns the function that leaves it. Throws `unavailable` if all places are taken. */
function enter(open: OpenCounts, { clientId }: Pick<UrlTicket, 'clientId'>): () => void {
  const ofClient = `archive ${clientId}`;
  if (!open.enter(ofClient, MAX_OF_CLIENT)) {
    throw unavailable(
      `This node sends ${MAX_OF_CLIENT} archives to this client already; try again when one has ended.`,
      RETRY_SECONDS,
    );
  }
  if (!open.enter('archive', MAX_ARCHIVES)) {
    open.leave(ofClient);
    throw unavailable(
      `This node sends ${MAX_ARCHIVES} archives already; try again when one has ended.`,
      RETRY_SECONDS,
    );
  }
  return () => {
    open.leave(ofClient);
    open.leave('archive');
  };
}

/**
 * Throws `unavailable` if a file is missing or has another length, before the response begins. Looks up no files after
 * the first such one.
 */
async function checkFiles(signed: SignedMedia, entries: readonly PartEntry[]): Promise<void> {
  for (let i = 0; i < entries.length; i += CONCURRENT_LOOKUPS) {
    const some = entries.slice(i, i + CONCURRENT_LOOKUPS);
    await Promise.all(
      some.map(async ({ key, sizeBytes }) => {
        const stat = await signed.media.stat(key);
        if (stat?.sizeBytes !== sizeBytes) throw signed.missing(key);
      }),
    );
  }
}

function entriesOf({ slug, parts }: TrackWithParts): PartEntry[] {
  return PART_LISTS.flatMap((list) =>
    parts[list].map(({ kind, audioKey, sizeBytes }: TrackPart, i): PartEntry => {
      const place = String(i + 1).padStart(2, '0');
      const name = `${place}-${kind.replaceAll('_', '-')}.${extensionOf(audioKey)}`;
      return { path: `${slug}/${list}/${name}`, sizeBytes, key: audioKey };
    }),
  );
}

/** The tag is strong: paths and content determine all bytes of an archive. */
function etagOf(entries: readonly PartEntry[]): Representation['etag'] {
  const hash = createHash('sha256');
  for (const { path, key } of entries) {
    hash.update(`${path} ${key}\n`);
  }
  return `"${hash.digest('hex')}"`;
}
