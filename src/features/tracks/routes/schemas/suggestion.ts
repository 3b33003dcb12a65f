import Type from 'typebox';
import { FilterSchema } from '../../../catalog/track-fields.ts';

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

/** Completions of a text. `kind` distinguishes them. */
export const SuggestionsSchema = Type.Object(
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
