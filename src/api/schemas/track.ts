import Type from 'typebox';
import { FILTER_TYPES } from '../../catalog/filter.ts';
import { TRACK_TYPES } from '../../catalog/track.ts';
import { oneOf, slug, timestamp, uuid } from './fields.ts';
import { paginated } from './page.ts';

/** A filter, with the same members wherever it stands (specification, Filter). */
const filterMembers = {
  id: uuid({ examples: ['6f2c1c52-7a4b-5d0e-9b61-2f0a3c7d8e11'] }),
  name: Type.String({ examples: ['Ambient'] }),
  slug: slug({ examples: ['ambient'] }),
  type: oneOf(FILTER_TYPES, { examples: ['genre'] }),
};

/** A filter inside a track or a suggestion. */
export const FilterSchema = Type.Object(filterMembers, {
  title: 'Filter',
  description: 'A genre, a mood or a use-case that tracks are tagged with.',
});

/** A filter in the master list, with the number of tracks that carry it. */
export const CountedFilterSchema = Type.Object(
  {
    ...filterMembers,
    trackCount: Type.Integer({
      minimum: 0,
      description: 'How many tracks carry it now.',
      examples: [412],
    }),
  },
  { title: 'CountedFilter', description: 'A filter with the number of tracks that carry it.' },
);

const ArtistSchema = Type.Object(
  {
    id: Type.String({
      description: 'The same wherever this artist is credited.',
      examples: ['0b9f5c1e-54c7-5b5c-8f0d-6f4a2d9e7c33'],
    }),
    name: Type.String({ description: 'The credit as delivered.', examples: ['Mara Lindt'] }),
    role: Type.String({
      pattern: '^[A-Z]+(_[A-Z]+)*$',
      description:
        'One upper-case word. Known ones: `MAIN_ARTIST`, `FEATURED_ARTIST`, `COMPOSER`, `LYRICIST`, `PRODUCER`, `REMIXER`, `PERFORMER`, `PUBLISHER`; expect others.',
      examples: ['MAIN_ARTIST'],
    }),
    isPrimary: Type.Boolean({ description: 'True for one artist at most.', examples: [true] }),
  },
  { title: 'Artist', description: 'An artist’s part in a track.' },
);

/** A track as every list and the single read show it (specification, Track; decisions §3). */
export const TrackSchema = Type.Object(
  {
    id: uuid({ examples: ['3d1a8f34-8b42-5f0c-a8a1-5b8f2f7c9d10'] }),
    name: Type.String({ examples: ['Night Ferry'] }),
    slug: slug({
      description: 'Unique among tracks, and kept when the name changes.',
      examples: ['night-ferry'],
    }),
    type: oneOf(TRACK_TYPES, { examples: ['music'] }),
    bpm: Type.String({
      description: 'Tempo in beats per minute; empty where unknown.',
      examples: ['92'],
    }),
    songKey: Type.Array(Type.String(), {
      description: 'Musical keys; empty where unknown.',
      examples: [['A minor']],
    }),
    timeSignature: Type.String({
      pattern: '^(\\d+/\\d+)?$',
      description: 'Beats and note value; empty where unknown.',
      examples: ['4/4'],
    }),
    durationSeconds: Type.Integer({
      minimum: 0,
      description: 'Rounded, at least 1; 0 where unknown.',
      examples: [184],
    }),
    region: Type.String({
      description: 'Region code; `WORLD` where none is known.',
      examples: ['WORLD'],
    }),
    releaseDate: timestamp({
      description:
        'UTC with milliseconds. A bare year stands for its 1 January, an unknown date for the time of first import.',
      examples: ['2024-03-08T00:00:00.000Z'],
    }),
    hasVocals: Type.Boolean({
      description: 'True with vocals, false for an instrumental or where unknown.',
      examples: [false],
    }),
    isPRO: Type.Boolean({
      description: 'Whether a performing rights organisation administers it.',
      examples: [false],
    }),
    tags: Type.Array(Type.String(), { description: 'Free tags.', examples: [['piano', 'slow']] }),
    artists: Type.Array(ArtistSchema),
    filters: Type.Array(FilterSchema, {
      description: 'The filters that the track is tagged with.',
    }),
    isrc: Type.String({
      pattern: '^([A-Z]{2}[A-Z0-9]{3}[0-9]{7})?$',
      description: 'International Standard Recording Code without hyphens; empty where unknown.',
      examples: ['QZES72400137'],
    }),
    hasAudio: Type.Boolean({
      description: 'Whether `streamUrl` has audio to play; where false it answers 404.',
      examples: [true],
    }),
    artworkUrl: Type.String({
      format: 'uri',
      description: 'Needs no signature and may be cached for ever: new artwork has a new URL.',
      examples: [
        'http://127.0.0.1:8080/media/artwork/generated-1-3d1a8f34-8b42-5f0c-a8a1-5b8f2f7c9d10.png',
      ],
    }),
    streamUrl: Type.String({
      format: 'uri',
      description:
        'Signed; plays in an `<audio>` element without any header, and serves seeks. Lives for 30 minutes from this response.',
      examples: [
        'http://127.0.0.1:8080/media/stream/3d1a8f34-8b42-5f0c-a8a1-5b8f2f7c9d10?expires=1800&issued=1795248010&client=b1f4c6de-0f55-4f0e-8a53-bb4ec2a7a1c4&mode=test&signature=m1Yw0c4R0Vn3mZ8w2B6yqA',
      ],
    }),
    streamUrlExpiresAt: timestamp({
      description: 'When `streamUrl` stops answering.',
      examples: ['2026-11-21T10:40:10.000Z'],
    }),
  },
  { title: 'Track', description: 'A licensed track.' },
);

/** A page of tracks, as playlists give it. */
export const TrackPageSchema = paginated(TrackSchema, 'TrackPage');

const trackCount = Type.Integer({
  minimum: 1,
  description: 'How many tracks of the whole result these are.',
  examples: [1],
});

/** How the tracks of a whole result divide; what none of them has is left out, most tracks first. */
export const FacetsSchema = Type.Object(
  {
    filters: Type.Array(
      Type.Object(
        { ...filterMembers, trackCount },
        { title: 'FilterFacet', description: 'A filter, and how many of the tracks carry it.' },
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
          hasVocals: Type.Boolean({ description: 'With vocals, or without.', examples: [false] }),
          trackCount,
        },
        { title: 'VocalsFacet' },
      ),
      { description: 'With and without vocals, most tracks first.' },
    ),
  },
  {
    title: 'Facets',
    description:
      'How the tracks of the whole result divide, whatever the page; only where it was asked for. What no track has is left out.',
  },
);

/** A page of tracks, as list and search give it. */
export const FoundTracksSchema = paginated(TrackSchema, 'FoundTracks', {
  facets: Type.Optional(FacetsSchema),
});
