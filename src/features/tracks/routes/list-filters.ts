import Type from 'typebox';
import { oneOf } from '../../../common/schema-types.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import type { LiveCatalog } from '../../catalog/live/live-catalog.ts';
import { FILTER_TYPES } from '../../catalog/track-values.ts';
import { languageMember } from '../../languages/routes/language.ts';
import { CountedFilterSchema } from './track-schemas.ts';

export function listFilters({ catalog }: { catalog: Pick<LiveCatalog, 'filters'> }): Route {
  return route({
    operationId: 'listFilters',
    method: 'GET',
    path: '/v1/filters',
    tag: 'Filters',
    summary: 'List all filters',
    description:
      'All genres, moods and use-cases, ordered by type and name, not paginated. `filterIds` and `filterSlugs` take their ids and slugs.',
    access: { scope: 'filters' },
    query: Type.Object({
      type: Type.Optional(
        oneOf(FILTER_TYPES, { description: 'Only filters of this type.', examples: ['genre'] }),
      ),
      ...languageMember,
    }),
    localized: 'header',
    data: Type.Object(
      { items: Type.Array(CountedFilterSchema, { description: 'All filters.' }) },
      { title: 'FilterList' },
    ),
    cacheable: true,
    handle: ({ query, caller }) => ({
      data: { items: catalog.filters(query.type, caller?.language) },
    }),
  });
}
