import Type from 'typebox';
import {
  flag,
  integer,
  integerOrNull,
  oneOf,
  text,
  timestamp,
  uuid,
} from '../../../common/schema-types.ts';
import { paginated, warningsMember } from '../../../engines/http/schemas.ts';
import { AI_SHARES, TRAINING_ANSWERS } from '../../../engines/search/catalog-index.ts';
import { FILTER_FIELDS, TRACK_FIELDS } from '../../catalog/track-fields.ts';
import { TRACK_TYPES } from '../../catalog/track-values.ts';
import { LANGUAGE_FIELDS } from '../../languages/routes/language.ts';
import type { UrlKind } from '../../media/signed-url.ts';

export const CountedFilterSchema = Type.Object(
  {
    ...FILTER_FIELDS,
    trackCount: integer('The number of live tracks that carry it.', 412),
  },
  { title: 'CountedFilter', description: 'A filter with the number of tracks that carry it.' },
);

const URL_EXAMPLE = {
  before: 'http://127.0.0.1:8080/media/',
  id: '3d1a8f34-8b42-5f0c-a8a1-5b8f2f7c9d10',
  query: '?expires=1800&issued=1795248010&client=b1f4c6de-0f55-4f0e-8a53-bb4ec2a7a1c4&mode=test',
};

const StreamSchema = Type.Object(
  {
    contentType: text('The media type of what `streamUrl` sends.', 'audio/mpeg'),
    bitrate: integerOrNull('Bits per second, on average; null where unknown.', 192_000),
    bytes: integerOrNull('The length of the file; null where unknown.', 4_416_000),
    isOriginal: flag('Whether it is the delivered file.', false),
  },
  { title: 'TrackStream', description: 'What `streamUrl` sends.' },
);

/** A URL that only callers with previews get. */
function previewUrl(path: string, kind: UrlKind, description: string) {
  const { before, query } = URL_EXAMPLE;
  return Type.Optional(
    Type.String({
      format: 'uri',
      description: `${description} Valid until \`streamUrlExpiresAt\`. Only with the feature \`previews\` and a token with its scope.`,
      examples: [`${before}${path}${query}&kind=${kind}&signature=m1Yw0c4R0Vn3mZ8w2B6yqA`],
    }),
  );
}

/**
 * The members with signed URLs (docs/contract/streaming.md#stream-url, docs/contract/previews.md#members-of-a-track).
 */
const SIGNED_FIELDS = {
  streamUrl: Type.String({
    format: 'uri',
    description:
      'A signed URL that plays in an `<audio>` element without further headers, with seeking. Valid for 30 minutes from this response.',
    examples: [
      `${URL_EXAMPLE.before}stream/${URL_EXAMPLE.id}.mp3${URL_EXAMPLE.query}&signature=m1Yw0c4R0Vn3mZ8w2B6yqA`,
    ],
  }),
  streamUrlExpiresAt: timestamp({
    description: 'When `streamUrl` expires.',
    examples: ['2026-11-21T10:40:10.000Z'],
  }),
  previewUrl: previewUrl(
    `preview/${URL_EXAMPLE.id}.mp3`,
    'preview',
    'A signed URL of the preview clip: 30 seconds as MP3.',
  ),
  waveformUrl: previewUrl(
    `waveform/${URL_EXAMPLE.id}.json`,
    'waveform',
    'A signed URL of the waveform as JSON of BBC audiowaveform data, which peaks.js and other players draw.',
  ),
  waveformDataUrl: previewUrl(
    `waveform/${URL_EXAMPLE.id}.dat`,
    'waveform-dat',
    'A signed URL of the same waveform in the binary format of BBC audiowaveform data.',
  ),
};

/** A track in lists and single reads (docs/contract/tracks.md#track-fields). */
export const TrackSchema = Type.Object(
  {
    ...TRACK_FIELDS,
    stream: Type.Union([StreamSchema, Type.Null()], {
      description: 'What `streamUrl` sends; null without audio.',
    }),
    artworkUrl: Type.String({
      format: 'uri',
      description: 'The URL has no signature and may be cached forever: new artwork has a new URL.',
      examples: [
        'http://127.0.0.1:8080/media/artwork/generated-1-3d1a8f34-8b42-5f0c-a8a1-5b8f2f7c9d10.png',
      ],
    }),
    ...SIGNED_FIELDS,
    ...LANGUAGE_FIELDS,
  },
  { title: 'Track', description: 'A licensed track.' },
);

export const NamedTracksSchema = Type.Object(
  {
    items: Type.Array(TrackSchema, { description: 'The tracks, in the order of the request.' }),
    notFound: Type.Array(Type.String({ examples: ['no-such-track'] }), {
      description: 'The slugs and ids without a track, as they were sent.',
    }),
  },
  { title: 'NamedTracks' },
);

const SignedStreamSchema = Type.Object(
  { trackId: TRACK_FIELDS.id, ...SIGNED_FIELDS },
  { title: 'SignedStream', description: 'A new stream URL of a track.' },
);

export const SignedStreamsSchema = Type.Object(
  {
    items: Type.Array(SignedStreamSchema, { description: 'In the order of the request.' }),
    notFound: Type.Array(uuid({ examples: ['00000000-0000-4000-8000-000000000000'] }), {
      description: 'The ids without a track, as they were sent.',
    }),
  },
  { title: 'SignedStreams' },
);

export const TrackPageSchema = paginated(TrackSchema, 'TrackPage');

const trackCount = integer('The number of these tracks in the whole result.', 1, { minimum: 1 });

const FacetsSchema = Type.Object(
  {
    filters: Type.Array(
      Type.Object(
        { ...FILTER_FIELDS, trackCount },
        { title: 'FilterFacet', description: 'A filter, and the number of tracks that carry it.' },
      ),
      { description: 'Most tracks first, then by name, then by id.' },
    ),
    types: Type.Array(
      Type.Object({ type: oneOf(TRACK_TYPES), trackCount }, { title: 'TypeFacet' }),
      { description: 'Music and sound effects, most tracks first.' },
    ),
    hasVocals: Type.Array(
      Type.Object(
        {
          hasVocals: flag('With vocals, or without.', false),
          trackCount,
        },
        { title: 'VocalsFacet' },
      ),
      { description: 'With and without vocals, most tracks first.' },
    ),
    vocals: Type.Array(
      Type.Object({ vocals: TRACK_FIELDS.vocals, trackCount }, { title: 'KnownVocalsFacet' }),
      { description: 'What is known of the vocals, most tracks first.' },
    ),
    ai: Type.Array(Type.Object({ ai: oneOf(AI_SHARES), trackCount }, { title: 'AiFacet' }), {
      description: 'How much of them a machine made, most tracks first.',
    }),
    trainingAllowed: Type.Array(
      Type.Object(
        { trainingAllowed: oneOf(TRAINING_ANSWERS), trackCount },
        { title: 'TrainingFacet' },
      ),
      {
        description:
          'Whether machines may learn from them, as the parameter names it, most tracks first.',
      },
    ),
  },
  {
    title: 'Facets',
    description:
      'How the tracks of the whole result divide, whatever the page; only where it was asked for. What no track has is left out.',
  },
);

export const FOUND_MEMBERS = { facets: Type.Optional(FacetsSchema), ...warningsMember };

export const FoundTracksSchema = paginated(TrackSchema, 'FoundTracks', FOUND_MEMBERS);
