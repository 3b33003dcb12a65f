import Type from 'typebox';
import { slug } from '../../../../common/schema-types.ts';
import { warningsMember } from '../../../../engines/http/schemas.ts';
import { TrackSchema } from './track.ts';

/** A share of 0 to 1 with four decimals; null if the seed lacks the value. */
function share(description: string, example: number) {
  return Type.Unsafe<number | null>({
    type: ['number', 'null'],
    minimum: 0,
    maximum: 1,
    description: `${description} Null if the given track has none.`,
    examples: [example],
  });
}

const ReasonsSchema = Type.Object(
  {
    genre: share('The share of the genres of both tracks that both have.', 1),
    mood: share('The share of the moods of both tracks that both have.', 0.5),
    bpm: share('1 for the same, half or double tempo, and less for tempos near them.', 0.95),
    key: Type.Boolean({ description: 'Whether they have a key in common.', examples: [true] }),
    hasVocals: Type.Boolean({
      description: 'Whether both have vocals, or both have none.',
      examples: [true],
    }),
    sharedFilters: Type.Array(slug(), {
      description: 'The slugs of the genres and moods that both have, ascending.',
      examples: [['ambient', 'calm']],
    }),
  },
  { title: 'SimilarityReasons', description: 'What a track has in common with the given one.' },
);

const SimilarTrackSchema = Type.Object(
  {
    score: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'How similar the track is, with four decimals.',
      examples: [0.8125],
    }),
    reasons: ReasonsSchema,
    track: TrackSchema,
  },
  { title: 'SimilarTrack' },
);

/** The data of GET /v1/tracks/{slug}/similar (docs/contract/similar.md#response). */
export const SimilarTracksSchema = Type.Object(
  {
    items: Type.Array(SimilarTrackSchema, { description: 'The most similar track comes first.' }),
    ...warningsMember,
  },
  { title: 'SimilarTracks' },
);
