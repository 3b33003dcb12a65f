import Type from 'typebox';
import type { Completions } from '../../catalog/live-catalog.ts';
import { API_VERSION } from '../../kernel/version.ts';
import { type Route, route } from '../route.ts';
import { freeText } from '../schemas/fields.ts';
import { SuggestionsSchema } from '../schemas/suggestion.ts';

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 20;

/** What the route reads: at most `limit` filters and as many names that complete a text. */
export interface SuggestionSource {
  suggest(text: string, limit: number): Completions;
}

/** GET /v1/suggest: completions of a text as one types it, from filters and names. */
export function suggest({ catalog }: { catalog: SuggestionSource }): Route {
  return route({
    operationId: 'suggest',
    method: 'GET',
    path: '/v1/suggest',
    version: API_VERSION,
    tag: 'Tracks',
    summary: 'Complete a text as one types',
    description:
      'Made to be called on each key. Filters come first: those that tracks carry and in whose name each word of the text begins a word, most tracks first. Then names of tracks, in the order in which a search for the text finds them, each once; names that only have the text inside a word or with a typo are left to the search. Filters take a third of `limit`, rounded up, and more where there are not enough names.',
    access: { scope: 'search' },
    errors: [],
    query: Type.Object({
      q: freeText({
        description: 'What was typed so far; nothing completes an empty text.',
        examples: ['nig'],
      }),
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_LIMIT,
          default: DEFAULT_LIMIT,
          description: 'How many completions at most.',
          examples: [DEFAULT_LIMIT],
        }),
      ),
    }),
    data: SuggestionsSchema,
    cacheable: true,
    handle: ({ query: { q, limit = DEFAULT_LIMIT } }) => ({
      data: { items: suggestions(catalog.suggest(q, limit), limit) },
    }),
  });
}

/** Filters first, but not at the cost of names beyond a third of the places. */
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
