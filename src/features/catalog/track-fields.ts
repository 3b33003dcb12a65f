import Type, { type Static } from 'typebox';
import {
  flag,
  integer,
  integerOrNull,
  oneOf,
  openEnum,
  slug,
  text,
  timestamp,
  uuid,
} from '../../common/schema-types.ts';
import { AI_SHARES, VOCALS } from '../../engines/search/catalog-index.ts';
import { AI_PARTS } from './provenance.ts';
import { DETECTABLE, FILTER_TYPES, TRACK_TYPES } from './track-values.ts';

/** The members of a filter, wherever the API shows one (docs/contract/tracks.md#filters-of-a-track). */
export const FILTER_FIELDS = {
  id: uuid({ examples: ['ef446696-4d21-5812-8cc9-7e014d1fa6c9'] }),
  name: Type.String({ examples: ['Ambient'] }),
  slug: slug({ examples: ['ambient'] }),
  type: openEnum(FILTER_TYPES, { examples: ['genre'] }),
};

/** A filter inside a track or a suggestion. */
export const FilterSchema = Type.Object(FILTER_FIELDS, {
  title: 'Filter',
  description: 'A genre, a mood or a use-case that tracks are tagged with.',
});

const ArtistSchema = Type.Object(
  {
    id: text('The same wherever this artist is credited.', '0b9f5c1e-54c7-5b5c-8f0d-6f4a2d9e7c33'),
    name: text('The credit as delivered.', 'Mara Lindt'),
    role: text(
      'One upper-case word. Known ones: `MAIN_ARTIST`, `FEATURED_ARTIST`, `COMPOSER`, `LYRICIST`, `PRODUCER`, `REMIXER`, `PERFORMER`, `PUBLISHER`; expect others.',
      'MAIN_ARTIST',
      { pattern: '^[A-Z]+(_[A-Z]+)*$' },
    ),
    isPrimary: flag('True for one artist at most.', true),
  },
  { title: 'Artist', description: 'An artist’s part in a track.' },
);

const AudioSchema = Type.Object(
  {
    format: text('The extension of its format.', 'wav'),
    contentType: text('Its media type.', 'audio/wav'),
    sampleRate: integerOrNull('In hertz. Null until the file was probed, as the others.', 44_100),
    channels: integerOrNull('1 for mono, 2 for stereo.', 2),
    bitDepth: integerOrNull('Bits of a sample; null for a lossy format.', 16),
    bitrate: integerOrNull('Bits per second, on average; null where unknown.', 1_411_200),
    bytes: integerOrNull('The size of the file.', 32_457_644),
  },
  { title: 'TrackAudio', description: 'The delivered audio file of a track.' },
);

const ProvenanceSchema = Type.Object(
  {
    ai: openEnum(AI_SHARES, { description: 'How much of it a machine made.', examples: ['none'] }),
    aiParts: Type.Array(openEnum(AI_PARTS), {
      description: 'What a machine made, as far as the supplier says it.',
      examples: [['vocals']],
    }),
    trainingAllowed: Type.Union([Type.Boolean(), Type.Null()], {
      description: 'Whether machines may learn from it; null where unknown.',
      examples: [false],
    }),
    statement: Type.Union([Type.String(), Type.Null()], {
      description: 'The supplier’s own words.',
      examples: ['Sung by Mara Lindt; the mix used a machine for noise reduction.'],
    }),
  },
  {
    title: 'Provenance',
    description: 'What its supplier says of its making, and of machines that learn from it.',
  },
);

/**
 * The members of a track, in the order of docs/contract/tracks.md#track-fields. The type `Track`, the fingerprint of a
 * delivery and the OpenAPI document derive from this declaration, the compiler compares the import record with it, and
 * a test compares the JSON that the store composes.
 */
export const TRACK_FIELDS = {
  id: uuid({ examples: ['3d1a8f34-8b42-5f0c-a8a1-5b8f2f7c9d10'] }),
  name: Type.String({ examples: ['Night Ferry'] }),
  slug: slug({
    description: 'Unique among tracks, and kept when the name changes.',
    examples: ['night-ferry'],
  }),
  type: oneOf(TRACK_TYPES, { examples: ['music'] }),
  bpm: text('Tempo in beats per minute; empty where unknown.', '92'),
  songKey: Type.Array(Type.String(), {
    description: 'Musical keys; empty where unknown.',
    examples: [['A minor']],
  }),
  timeSignature: text('Beats and note value; empty where unknown.', '4/4', {
    pattern: '^(\\d+/\\d+)?$',
  }),
  durationSeconds: integer('Rounded, at least 1; 0 where unknown.', 184),
  region: text('Region code; `WORLD` where none is known.', 'WORLD'),
  releaseDate: timestamp({
    description:
      'UTC with milliseconds. A bare year stands for its 1 January, an unknown date for the time of first import.',
    examples: ['2024-03-08T00:00:00.000Z'],
  }),
  hasVocals: flag('True with vocals, false for an instrumental or where unknown.', false),
  vocals: oneOf(VOCALS, {
    description: 'Whether it has vocals, is known to have none, or neither is known.',
    examples: ['instrumental'],
  }),
  isPRO: flag('Whether a performing rights organization administers it.', false),
  tags: Type.Array(Type.String(), { description: 'Free tags.', examples: [['piano', 'slow']] }),
  artists: Type.Array(ArtistSchema),
  filters: Type.Array(FilterSchema, {
    description: 'The filters that the track is tagged with.',
  }),
  isrc: text(
    'International Standard Recording Code without hyphens; empty where unknown.',
    'QZES72400137',
    { pattern: '^([A-Z]{2}[A-Z0-9]{3}[0-9]{7})?$' },
  ),
  audio: Type.Union([AudioSchema, Type.Null()], {
    description: 'The delivered audio file; null if there is none.',
  }),
  hasAudio: flag('Whether `streamUrl` has audio to play; if not, it returns 404.', true),
  detected: Type.Array(openEnum(DETECTABLE), {
    description:
      'The members that were not delivered and come from the analysis of the audio; empty if there are none.',
    examples: [['bpm', 'songKey']],
  }),
  provenance: ProvenanceSchema,
};

/** The members of a track in the API without the two URLs, which depend on the deployment and the client. */
export type TrackFields = {
  [Field in keyof typeof TRACK_FIELDS]: Static<(typeof TRACK_FIELDS)[Field]>;
};
