import Type from 'typebox';
import { integer } from '../../../common/schema-types.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import { freeText } from '../../../engines/http/schemas.ts';
import type { LiveCatalog } from '../../catalog/live/live-catalog.ts';
import type { Completions } from '../../catalog/track.ts';
import { FilterSchema } from '../../catalog/track-fields.ts';
import { languageMember } from '../../languages/routes/language.ts';

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 20;

export function suggest({ catalog }: { catalog: Pick<LiveCatalog, 'suggest'> }): Route {
  return route({
    operationId: 'suggest',
    method: 'GET',
    path: '/v1/suggest',
    tag: 'Tracks',
    summary: 'Complete a text during typing',
    description:
      'Designed for a call on each keystroke. Filters come first: those that tracks carry and in whose name each word of the text begins a word, most tracks first. Then follow names of tracks without duplicates, in the order in which a search for the text finds them; a name that contains the text only within a word or with a typo is not a completion. Filters take a third of `limit`, rounded up, and more if there are not enough names.',
    access: { scope: 'search' },
    query: Type.Object({
      q: freeText({
        description: 'The text typed so far. An empty text has no completions.',
        examples: ['nig'],
      }),
      limit: Type.Optional(
        integer('The maximum number of completions.', DEFAULT_LIMIT, {
          minimum: 1,
          maximum: MAX_LIMIT,
          default: DEFAULT_LIMIT,
        }),
      ),
      ...languageMember,
    }),
    localized: 'header',
    data: SuggestionsSchema,
    cacheable: true,
    handle: ({ query: { q, limit = DEFAULT_LIMIT }, caller }) => ({
      data: { items: suggestions(catalog.suggest(q, limit, caller?.language), limit) },
    }),
  });
}

/** Returns filters first, but no more than a third of the places if there are enough names. */
function suggestions({ filters, names }: Completions, limit: number): object[] {
  const places = Math.max(Math.ceil(limit / 3), limit - names.length);
  const shown = filters.slice(0, places);
  return [
    ...shown.map(({ trackCount, ...filter }) => ({
      kind: 'filter',
      text: filter.name,
      filter,
      trackCount,
    })),
    ...names.slice(0, limit - shown.length).map((text) => ({ kind: 'name', text })),
  ];
}

const FilterSuggestionSchema = Type.Object(
  {
    kind: Type.Unsafe<'filter'>({ type: 'string', const: 'filter' }),
    text: Type.String({ description: 'The name of the filter, to show.' }),
    filter: FilterSchema,
    trackCount: Type.Integer({
      minimum: 1,
      description: 'The number of live tracks that carry it.',
    }),
  },
  {
    title: 'FilterSuggestion',
    description: 'A filter. Search by its id or slug rather than by its name.',
  },
);

const NameSuggestionSchema = Type.Object(
  {
    kind: Type.Unsafe<'name'>({ type: 'string', const: 'name' }),
    text: Type.String({ description: 'The name of a track, as a text to search for.' }),
  },
  { title: 'NameSuggestion', description: 'A name that at least one track has.' },
);

const SuggestionsSchema = Type.Object(
  {
    items: Type.Array(Type.Union([FilterSuggestionSchema, NameSuggestionSchema]), {
      description:
        'Filters first, then names, best first. Ignore unknown kinds, because others may be added.',
      examples: [
        [
          {
            kind: 'filter',
            text: 'Nightlife',
            filter: {
              id: '6f2c1c52-7a4b-5d0e-9b61-2f0a3c7d8e11',
              name: 'Nightlife',
              slug: 'nightlife',
              type: 'mood',
            },
            trackCount: 24,
          },
          { kind: 'name', text: 'Night Ferry' },
        ],
      ],
    }),
  },
  { title: 'Suggestions' },
);
