import Type from 'typebox';
import { FilterSchema } from './track.ts';

const FilterSuggestionSchema = Type.Object(
  {
    kind: Type.Unsafe<'filter'>({ type: 'string', const: 'filter' }),
    text: Type.String({ description: 'What to show: the name of the filter.' }),
    filter: FilterSchema,
    trackCount: Type.Integer({ minimum: 1, description: 'How many tracks carry it now.' }),
  },
  {
    title: 'FilterSuggestion',
    description: 'A filter; its id or slug narrows the search better than its name would.',
  },
);

const NameSuggestionSchema = Type.Object(
  {
    kind: Type.Unsafe<'name'>({ type: 'string', const: 'name' }),
    text: Type.String({ description: 'The name of a track, as a text to search for.' }),
  },
  { title: 'NameSuggestion', description: 'A name that at least one track has.' },
);

/** Completions of a text, each told apart by its `kind`. */
export const SuggestionsSchema = Type.Object(
  {
    items: Type.Array(Type.Union([FilterSuggestionSchema, NameSuggestionSchema]), {
      description:
        'Filters first, then names, best first. Pass over kinds that you do not know: more may come.',
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
