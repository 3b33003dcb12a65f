import Type from 'typebox';
import type { Clock } from '../../../common/clock.ts';
import {
  integer,
  openEnum,
  text,
  textOrNull,
  timestamp,
  uuid,
} from '../../../common/schema-types.ts';
import { extensionOf } from '../../../engines/blobs/content-types.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import type { CatalogStore } from '../../catalog/store/catalog-store.ts';
import { MAX_PARTS, STEM_KINDS, type TrackPart, VERSION_KINDS } from '../../catalog/track-parts.ts';
import type { SignedUrls, UrlKind } from '../../media/signed-url.ts';
import { trackParams, unknownTrack } from '../../tracks/routes/show-track.ts';

const URL_NOTE = 'Valid until `urlsExpireAt`, without a token.';

function exampleUrl(kind: 'part' | 'archive', name: string): string {
  return `https://api.example.com/media/${kind}/${name}?expires=1800&issued=1795257610&client=9f0e6a4d&mode=live&kind=${kind}&signature=Qm9yZWFsaXNfY2FudG9yIQ`;
}

/** A part as a partner sees it (docs/contract/stems.md#members). */
function partSchema<const Kind extends string>(
  title: string,
  kinds: readonly Kind[],
  examples: { kind: Kind; name: string },
) {
  return Type.Object(
    {
      id: uuid({
        description: 'Stays the same as long as the track has this part.',
        examples: ['6d5d9c3e-5d57-5b0c-9a6f-0b0b52c7a1de'],
      }),
      kind: openEnum(kinds, { examples: [examples.kind] }),
      name: textOrNull('Null if it was delivered without a name.', examples.name),
      durationSeconds: integer('0 if unknown.', 184),
      format: text('The usual extension of files of this format.', 'wav', {
        pattern: '^[a-z0-9]+$',
      }),
      sizeBytes: Type.Integer({ minimum: 1, examples: [32_457_600] }),
      url: Type.String({
        format: 'uri',
        description: `The audio. ${URL_NOTE}`,
        examples: [exampleUrl('part', '6d5d9c3e-5d57-5b0c-9a6f-0b0b52c7a1de.wav')],
      }),
    },
    { title },
  );
}

const TrackPartsSchema = Type.Object(
  {
    trackId: uuid({ examples: ['3d1a8f34-8b42-5f0c-a8a1-5b8f2f7c9d10'] }),
    stems: Type.Array(partSchema('Stem', STEM_KINDS, { kind: 'drums', name: 'Drums' }), {
      maxItems: MAX_PARTS,
      description: 'The tracks of the mix, in the order of their delivery.',
    }),
    versions: Type.Array(
      partSchema('AlternateVersion', VERSION_KINDS, { kind: 'cutdown', name: '30 seconds' }),
      {
        maxItems: MAX_PARTS,
        description: 'The alternate versions of the track, in the order of their delivery.',
      },
    ),
    archiveUrl: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'uri',
      description: `A ZIP file with all parts; null if there are none. ${URL_NOTE}`,
      examples: [exampleUrl('archive', '3d1a8f34-8b42-5f0c-a8a1-5b8f2f7c9d10')],
    }),
    urlsExpireAt: timestamp({ examples: ['2026-11-21T10:40:10.000Z'] }),
  },
  {
    title: 'TrackParts',
    description: `The stems and alternate versions of a track, ${MAX_PARTS} together at most.`,
  },
);

/** See docs/contract/stems.md. */
export function listStems({
  catalog,
  signedUrls,
  publicUrl,
  clock,
}: {
  catalog: Pick<CatalogStore, 'trackParts'>;
  signedUrls: Pick<SignedUrls, 'sign' | 'signer'>;
  publicUrl(): string;
  clock: Clock;
}): Route {
  return route({
    operationId: 'listStems',
    method: 'GET',
    path: '/v1/tracks/{slug}/stems',
    tag: 'Stems',
    summary: 'List the stems and alternate versions of a track',
    description:
      'By slug or id, in any case. Each part has a signed URL, and all of them are together in the ZIP file at `archiveUrl`. A track without parts has two empty lists. Parts are not tracks: no list or search finds them.',
    access: { scope: 'stems', feature: 'stems' },
    errors: ['not_found'],
    params: trackParams,
    data: TrackPartsSchema,
    async handle({ params, caller }) {
      const track = await catalog.trackParts(params.slug.toLowerCase());
      if (track?.state !== 'live') {
        throw unknownTrack();
      }
      const { clientId, mode } = caller!;
      const now = clock.now();
      const urlOf = (kind: UrlKind, id: string, extension?: string) =>
        publicUrl() + signedUrls.sign(kind, id, clientId, mode, now, extension);
      const shown = ({ id, kind, name, durationSeconds, audioKey, sizeBytes }: TrackPart) => {
        const format = extensionOf(audioKey);
        return {
          ...{ id, kind, name, durationSeconds, format, sizeBytes },
          url: urlOf('part', id, format),
        };
      };
      const { stems, versions } = track.parts;
      return {
        data: {
          trackId: track.id,
          stems: stems.map(shown),
          versions: versions.map(shown),
          archiveUrl: stems.length + versions.length === 0 ? null : urlOf('archive', track.id),
          urlsExpireAt: signedUrls.signer('part', clientId, mode, now).expiresAt,
        },
      };
    },
  });
}
