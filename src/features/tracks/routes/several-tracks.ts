import Type from 'typebox';
import type { Caller } from '../../../common/caller.ts';
import { StaveError } from '../../../common/errors.ts';
import { isUuid } from '../../../common/ids.ts';
import { uuid } from '../../../common/schema-types.ts';
import { asciiJson, NO_ERROR_JSON } from '../../../engines/http/response/envelope.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import { freeText } from '../../../engines/http/schemas.ts';
import type { LiveCatalog } from '../../catalog/live/live-catalog.ts';
import type { SlugIds } from '../../catalog/slug-ids.ts';
import type { TrackDocument } from '../../catalog/track.ts';
import { fixtureOf, ID_LENGTH } from '../../catalog/track-document.ts';
import { languageMember } from '../../languages/routes/language.ts';
import { BLOCK_BYTES, readUuid } from '../../media/block-mac.ts';
import type { TrackPages } from './track-page.ts';
import { NamedTracksSchema, SignedStreamsSchema } from './track-schemas.ts';
import type { SignedEnvelope, UrlIssuer } from './url-issuer.ts';

/** See docs/contract/tracks.md#several-tracks. */
export function batchTracks({
  catalog,
  slugIds,
  pages,
}: {
  catalog: Pick<LiveCatalog, 'locate'>;
  slugIds: SlugIds;
  pages: Pick<TrackPages, 'named'>;
}): Route {
  return route({
    operationId: 'batchTracks',
    method: 'POST',
    path: '/v1/tracks/batch',
    tag: 'Tracks',
    summary: 'Read several tracks',
    description:
      'By slugs or ids, in any case. The tracks are in the order of the request. A track that is named twice is returned once, at its first place. `notFound` lists the names without a track, as they were sent; a track that was taken down is not found. It is a read: it counts as one request, and an `Idempotency-Key` is ignored.',
    access: { scope: 'tracks' },
    query: Type.Object(languageMember),
    body: Type.Object(
      {
        tracks: Type.Array(freeText({ minLength: 1 }), {
          minItems: 1,
          maxItems: MAX_NAMED_TRACKS,
          description: 'Slugs or ids of tracks.',
          examples: [['night-bus-home', 'no-such-track']],
        }),
      },
      { title: 'BatchRequest' },
    ),
    localized: 'header',
    data: NamedTracksSchema,
    cacheable: true,
    async handle({ body, caller }) {
      const names = distinctNames(body.tracks);
      const ids = await idsOf(slugIds, [...names.keys()]);
      const known = [...new Set(ids)].filter((id) => id !== undefined);
      const tracks = catalog
        .locate(known, {})
        .map((rowId, i) => rowId ?? fixtureOf(known[i]!, caller!.mode)?.document ?? undefined)
        .filter((track) => track !== undefined);
      const notFound = (shown: readonly TrackDocument[]) => {
        // Each name has a track of its own.
        if (shown.length === names.size) return [];
        const idsOfShown = new Set<string | undefined>(shown.map(({ id }) => id));
        return [...names.values()].filter((_, i) => !idsOfShown.has(ids[i]));
      };
      return pages.named(tracks, notFound, caller!);
    },
  });
}

/** Returns the id for each name, which is in lower case; undefined if no track has it. The track may not be live. */
async function idsOf(slugIds: SlugIds, names: readonly string[]): Promise<(string | undefined)[]> {
  const ids = names.map((name) => (isUuid(name) ? name : undefined));
  const slugs = names.filter((_, i) => ids[i] === undefined);
  if (slugs.length === 0) return ids;
  const idsOfSlugs = await slugIds.of(slugs);
  let next = 0;
  return ids.map((id) => id ?? idsOfSlugs[next++]);
}

/** See docs/contract/streaming.md#new-stream-urls. */
export function signStreams({
  catalog,
  urls,
}: {
  catalog: Pick<LiveCatalog, 'locate' | 'documents'>;
  urls: UrlIssuer;
}): Route {
  /** By the ids of tracks. URLs without an extension are valid, too, so they are issued while no track can be read. */
  const extensionsOf = async (rowIds: readonly number[]) => {
    const extensions = new Map<string, string>();
    try {
      for (const document of await catalog.documents(rowIds)) {
        if (document !== undefined) extensions.set(document.id, document.streamExtension);
      }
    } catch (error) {
      if (!(error instanceof StaveError) || error.kind !== 'unavailable') throw error;
    }
    return extensions;
  };
  return route({
    operationId: 'signStreams',
    method: 'POST',
    path: '/v1/tracks/stream-urls',
    tag: 'Tracks',
    summary: 'Get new stream URLs of several tracks',
    description:
      'For a list of tracks that was read earlier. The URLs are in the order of the request. A track that is named twice is returned once, at its first place. `notFound` lists the ids without a track, as they were sent; a track that was taken down is not found. It is a read: it counts as one request, and an `Idempotency-Key` is ignored.',
    access: { scope: 'tracks' },
    body: Type.Object(
      {
        trackIds: Type.Array(uuid(), {
          minItems: 1,
          maxItems: MAX_NAMED_TRACKS,
          description: 'Ids of tracks.',
          examples: [
            ['3d1a8f34-8b42-5f0c-a8a1-5b8f2f7c9d10', '00000000-0000-4000-8000-000000000000'],
          ],
        }),
      },
      { title: 'StreamUrlsRequest' },
    ),
    data: SignedStreamsSchema,
    cacheable: true,
    async handle({ body, caller }) {
      const names = distinctNames(body.trackIds);
      const ids = [...names.keys()];
      const rowIds = catalog.locate(ids, {});
      const { mode } = caller!;
      const isFound = (id: string, i: number) =>
        rowIds[i] !== undefined || fixtureOf(id, mode)?.state === 'live';
      const found = ids.filter(isFound);
      const notFound = ids.filter((id, i) => !isFound(id, i)).map((id) => names.get(id)!);
      const extensions = await extensionsOf(rowIds.filter((rowId) => rowId !== undefined));
      const streams = found.map((id) => ({ id, extension: extensions.get(id) ?? '' }));
      return signedEnvelope(streams, notFound, urls, caller!);
    },
  });
}

const HEAD = '{"data":{"items":[';
const BEFORE_ID = '{"trackId":"';
const COMMA = ','.charCodeAt(0);

/** Writes the envelope. The URL of an item follows its id, as in a page. */
function signedEnvelope(
  streams: readonly { id: string; extension: string }[],
  notFound: readonly string[],
  urls: UrlIssuer,
  caller: Caller,
): SignedEnvelope {
  const suffix = urls.suffixFor(caller);
  const end = `],"notFound":${asciiJson(notFound)}},"error":${NO_ERROR_JSON}}`;
  const extensions = streams.map(({ extension }) => extension);
  let size = HEAD.length + Math.max(0, streams.length - 1) + end.length;
  for (const extension of extensions) {
    size += BEFORE_ID.length + ID_LENGTH + suffix.signedLength(extension);
  }
  const taken = urls.take(size);
  const { bytes } = taken;
  const trackIds = Buffer.allocUnsafe(streams.length * BLOCK_BYTES);
  let at = bytes.write(HEAD, 'latin1');
  const places = streams.map(({ id, extension }, i) => {
    if (i > 0) bytes[at++] = COMMA;
    at += bytes.write(BEFORE_ID + id, at, 'latin1');
    const place = suffix.writeSigned(extension, bytes, at, at - ID_LENGTH);
    readUuid(bytes, at - ID_LENGTH, trackIds, i * BLOCK_BYTES);
    at += suffix.signedLength(extension);
    return place;
  });
  bytes.write(end, at, 'latin1');
  return urls.sign(taken, suffix, { trackIds, places, extensions });
}

/** The number of tracks that one request may name (docs/contract/limits.md#bounds-of-a-request). */
const MAX_NAMED_TRACKS = 100;

/** Returns the distinct names in lower case, in the order of their first places, each with the name as it was sent. */
function distinctNames(names: readonly string[]): Map<string, string> {
  const distinct = new Map<string, string>();
  for (const name of names) {
    const key = name.toLowerCase();
    if (!distinct.has(key)) {
      distinct.set(key, name);
    }
  }
  return distinct;
}
