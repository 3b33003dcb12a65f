import Type from 'typebox';
import { fixtureOf } from '../../catalog/fixtures.ts';
import type { LiveCatalog } from '../../catalog/live-catalog.ts';
import { ID_LENGTH } from '../../catalog/track-document.ts';
import type { Clock } from '../../common/clock.ts';
import { uuid } from '../../common/schema-types.ts';
import { API_VERSION } from '../../common/version.ts';
import { asciiJson } from '../../http/ascii-json.ts';
import { NO_ERROR_JSON } from '../../http/envelope.ts';
import { type Route, route } from '../../http/route.ts';
import { readUuid, UUID_BYTES } from '../../media/block-text.ts';
import {
  SIGNATURE_LENGTH,
  STREAM_PATH,
  type StreamUrls,
  type UrlSigner,
} from '../../media/signed-url.ts';
import { SignedStreamsSchema } from '../schemas/track.ts';
import { distinctNames, MAX_NAMED_TRACKS } from './distinct-names.ts';

/**
 * POST /v1/tracks/stream-urls: issues new stream URLs of several tracks, without reading the tracks
 * (docs/contract/streaming.md#new-stream-urls).
 */
export function signStreams({
  catalog,
  streamUrls,
  publicUrl,
  clock,
}: {
  catalog: Pick<LiveCatalog, 'locate'>;
  streamUrls: StreamUrls;
  publicUrl: () => string;
  clock: Clock;
}): Route {
  return route({
    operationId: 'signStreams',
    method: 'POST',
    path: '/v1/tracks/stream-urls',
    version: API_VERSION,
    tag: 'Tracks',
    summary: 'Get new stream URLs of several tracks',
    description:
      'For a list of tracks that was read earlier. The URLs are in the order of the request. A track that is named twice is returned once, at its first place. `notFound` lists the ids without a track, as they were sent; a track that was taken down is not found. It is a read: it counts as one request, and an `Idempotency-Key` is ignored.',
    access: { scope: 'tracks' },
    errors: [],
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
    handle({ body, caller }) {
      const names = distinctNames(body.trackIds);
      const ids = [...names.keys()];
      const rowIds = catalog.locate(ids, {});
      const { clientId, mode } = caller!;
      const isFound = (id: string, i: number) =>
        rowIds[i] !== undefined || fixtureOf(id, mode)?.state === 'live';
      const found = ids.filter(isFound);
      const notFound = ids.filter((id, i) => !isFound(id, i)).map((id) => names.get(id)!);
      const signer = streamUrls.signer(clientId, mode, clock.now());
      return { envelope: signedEnvelope(found, notFound, signer, publicUrl()) };
    },
  });
}

const HEAD = '{"data":{"items":[';
const SIGNATURE_SPACE = ' '.repeat(SIGNATURE_LENGTH);

/** Writes the envelope. All items have the same length, so the places of ids and signatures are calculated. */
function signedEnvelope(
  ids: readonly string[],
  notFound: readonly string[],
  { query, expiresAt, sign }: UrlSigner,
  base: string,
): Buffer {
  const beforeId = '{"trackId":"';
  const beforeUrl = `","streamUrl":"${base}${STREAM_PATH}`;
  const end = `","streamUrlExpiresAt":"${expiresAt}"}`;
  const items = ids.map((id) => beforeId + id + beforeUrl + id + query + SIGNATURE_SPACE + end);
  const envelope = Buffer.from(
    `${HEAD}${items.join()}],"notFound":${asciiJson(notFound)}},"error":${NO_ERROR_JSON}}`,
    'latin1',
  );

  const blocks = Buffer.allocUnsafe(ids.length * UUID_BYTES);
  const signatureAt = beforeId.length + ID_LENGTH + beforeUrl.length + ID_LENGTH + query.length;
  const places = items.map((item, i) => {
    const at = HEAD.length + i * (item.length + 1);
    readUuid(envelope, at + beforeId.length, blocks, i * UUID_BYTES);
    return at + signatureAt;
  });
  sign(blocks, envelope, places);
  return envelope;
}
