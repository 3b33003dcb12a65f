import Type from 'typebox';
import { type CountedFilter, FILTER_TYPES, type FilterType } from '../../catalog/filter.ts';
import { API_VERSION } from '../../kernel/version.ts';
import { type Route, route } from '../route.ts';
import { oneOf } from '../schemas/fields.ts';
import { CountedFilterSchema } from '../schemas/track.ts';

/** What the route reads: every filter, or those of a type, ordered by type and name, with counts. */
export interface FilterSource {
  filters(type?: FilterType): readonly CountedFilter[];
}

/** GET /v1/filters: the master list of genres, moods and use-cases. */
export function listFilters({ catalog }: { catalog: FilterSource }): Route {
  return route({
    operationId: 'listFilters',
    method: 'GET',
    path: '/v1/filters',
    version: API_VERSION,
    tag: 'Filters',
    summary: 'List all filters',
    description:
      'The master list of genres, moods and use-cases, ordered by type and name, not paginated. Their ids and slugs are what `filterIds` and `filterSlugs` take.',
    access: { scope: 'filters' },
    errors: [],
    query: Type.Object({
      type: Type.Optional(
        oneOf(FILTER_TYPES, { description: 'Only filters of this type.', examples: ['genre'] }),
      ),
    }),
    data: Type.Object(
      { items: Type.Array(CountedFilterSchema, { description: 'All of them.' }) },
      { title: 'FilterList' },
    ),
    cacheable: true,
    handle: ({ query }) => ({ data: { items: catalog.filters(query.type) } }),
  });
}
