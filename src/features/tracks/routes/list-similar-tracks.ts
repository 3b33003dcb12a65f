import Type from 'typebox';
import type { Caller } from '../../../common/caller.ts';
import { flag, integer, oneOf, slug } from '../../../common/schema-types.ts';
import { asciiJson } from '../../../engines/http/response/envelope.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import { filterSlugsMember, warningsMember } from '../../../engines/http/schemas.ts';
import { SIMILAR_BY } from '../../../engines/search/catalog-index.ts';
import type { SimilarItem } from '../../catalog/live/catalog-query.ts';
import type { LiveCatalog } from '../../catalog/live/live-catalog.ts';
import type { CatalogStore } from '../../catalog/store/catalog-store.ts';
import { TRACK_TYPES } from '../../catalog/track-values.ts';
import { languageMember } from '../../languages/routes/language.ts';
import { queryWarnings } from './query-warnings.ts';
import { trackParams, unknownTrack } from './show-track.ts';
import type { TrackPages } from './track-page.ts';
import { TrackSchema } from './track-schemas.ts';

export const DEFAULT_LIMIT = 20;
export const DEFAULT_BPM_RANGE = 20;

/** What restricts the tracks of a list, and its length. */
export const restrictionMembers = {
  limit: Type.Optional(
    integer('The greatest number of tracks.', 5, {
      minimum: 1,
      maximum: 100,
      default: DEFAULT_LIMIT,
    }),
  ),
  type: Type.Optional(
    oneOf(TRACK_TYPES, {
      description: 'Only music, or only sound effects.',
      examples: ['music'],
    }),
  ),
  hasVocals: Type.Optional(flag('Only tracks with vocals (true) or without (false).', false)),
  filterSlugs: filterSlugsMember,
  ...languageMember,
};

const SimilarTracksQuery = Type.Object({
  by: Type.Optional(
    oneOf(SIMILAR_BY, {
      description:
        'What is compared: filters and tempo, the sound of the audio, or both, by the mean of the two ranks.',
      default: 'metadata',
      examples: ['sound'],
    }),
  ),
  bpmRange: Type.Optional(
    integer(
      'The distance in beats per minute from which two tempos have nothing in common. Half and double tempo count as equal.',
      10,
      { minimum: 1, maximum: 100, default: DEFAULT_BPM_RANGE },
    ),
  ),
  ...restrictionMembers,
  type: Type.Optional(
    oneOf(TRACK_TYPES, {
      description: 'Only music, or only sound effects; by default the type of the given track.',
      examples: ['music'],
    }),
  ),
});

export function listSimilarTracks({
  store,
  catalog,
  pages,
}: {
  store: Pick<CatalogStore, 'document'>;
  catalog: Pick<LiveCatalog, 'similar' | 'hasKey' | 'unknownFilters' | 'search' | 'languages'>;
  pages: Pick<TrackPages, 'list'>;
}): Route {
  return route({
    operationId: 'listSimilarTracks',
    method: 'GET',
    path: '/v1/tracks/{slug}/similar',
    tag: 'Similar',
    summary: 'Find similar tracks',
    description:
      'The tracks that resemble a track most, best first, by genres (40 %), moods (35 %) and tempo (25 %). What the given track lacks does not count. Other releases of the same recording are left out. Ties: a key in common, equal vocals, newest, then by id. With `by`, they are compared by their sound: then an artist has three of the first ten tracks at most, and a track whose audio has not been analyzed is 409. The list has no pages.',
    access: { scope: 'similar', feature: 'similar' },
    errors: ['not_found', 'conflict'],
    params: trackParams,
    query: SimilarTracksQuery,
    localized: 'header',
    data: SimilarTracksSchema,
    cacheable: true,
    async handle({ params, query, caller }) {
      const { limit = DEFAULT_LIMIT, bpmRange = DEFAULT_BPM_RANGE, ...others } = query;
      const { language, ...restrictions } = others;
      const document = await store.document(params.slug.toLowerCase());
      const found =
        document && (await catalog.similar({ id: document.id, limit, bpmRange, ...restrictions }));
      if (found === undefined) {
        throw unknownTrack();
      }
      return similarPage(found, caller!, {
        pages,
        warnings: queryWarnings(catalog, {
          unknown: catalog.unknownFilters(restrictions),
          language,
        }),
      });
    },
  });
}

/** The response with these tracks, in this order. */
export function similarPage(
  found: readonly SimilarItem[],
  caller: Caller,
  { pages, warnings }: { pages: Pick<TrackPages, 'list'>; warnings: string | undefined },
): ReturnType<TrackPages['list']> {
  const items = new Map(found.map((item) => [item.id, itemStart(item)]));
  return pages.list(
    found.map(({ rowId }) => rowId),
    caller,
    { wrap: (trackId) => ({ before: items.get(trackId)!, after: '}' }), warnings },
  );
}

/** The JSON of an item up to its track. */
function itemStart({
  score,
  genre,
  mood,
  bpm,
  sound,
  key,
  hasVocals,
  sharedFilters,
}: SimilarItem): string {
  const reasons = asciiJson({ genre, mood, bpm, sound, key, hasVocals, sharedFilters });
  return `{"score":${score},"reasons":${reasons},"track":`;
}

/** A share of 0 to 1 with four decimals. */
function share(description: string, example: number) {
  const type = ['number', 'null'];
  const bounds = { minimum: 0, maximum: 1 };
  return Type.Unsafe<number | null>({ type, ...bounds, description, examples: [example] });
}

const NONE = 'Null if the given track has none.';

const ReasonsSchema = Type.Object(
  {
    genre: share(`The share of the genres of both tracks that both have. ${NONE}`, 1),
    mood: share(`The share of the moods of both tracks that both have. ${NONE}`, 0.5),
    bpm: share(
      `1 for the same, half or double tempo, and less for tempos near them. ${NONE}`,
      0.95,
    ),
    sound: share(
      'How alike they sound. Null unless the tracks are compared by sound, or if the track has not been analyzed.',
      0.93,
    ),
    key: flag('Whether they have a key in common.', true),
    hasVocals: flag('Whether both have vocals, or both have none.', true),
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

/** See docs/contract/similar.md#response. */
export const SimilarTracksSchema = Type.Object(
  {
    items: Type.Array(SimilarTrackSchema, { description: 'The most similar track comes first.' }),
    ...warningsMember,
  },
  { title: 'SimilarTracks' },
);
