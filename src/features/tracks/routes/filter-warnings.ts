import type { FieldProblem } from '../../../common/errors.ts';
import { shortened } from '../../../engines/http/input/problems.ts';
import { asciiJson } from '../../../engines/http/response/envelope.ts';
import type { LiveCatalog } from '../../catalog/live/live-catalog.ts';

/**
 * Returns `warnings` as JSON in ASCII about the filters of a query that do not exist and therefore
 * match nothing (docs/contract/search.md#warnings): ids first, each list in the order of the query;
 * undefined if all of them exist.
 */
export function filterWarnings(
  catalog: Pick<LiveCatalog, 'unknownFilters'>,
  query: { filterIds?: readonly string[]; filterSlugs?: readonly string[] },
): string | undefined {
  const unknown = catalog.unknownFilters(query);
  if (unknown === undefined) {
    return undefined;
  }
  const warnings: FieldProblem[] = [
    ...unknown.ids.map((id) => ({
      field: 'filterIds',
      message: `no filter has the id ${id}`,
    })),
    ...unknown.slugs.map(({ slug, nearest }) => ({
      field: 'filterSlugs',
      message: `no filter has the slug ${shortened(slug)}${nearest === undefined ? '' : `; did you mean ${nearest}?`}`,
    })),
  ];
  return asciiJson(warnings);
}
