import Type, { type TSchemaOptions } from 'typebox';
import { slug } from '../../../common/schema-types.ts';

/** Free text of at most 200 characters (docs/contract/limits.md#bounds-of-a-request). */
export function freeText(options?: TSchemaOptions) {
  return Type.String({ maxLength: 200, ...options });
}

/** How many filters a query may name (docs/contract/limits.md#bounds-of-a-request). */
export const MAX_FILTERS = 50;

/** The slugs of filters of a list that takes no ids of filters (docs/contract/search.md#filters). */
export const filterSlugsMember = Type.Optional(
  Type.Array(slug(), {
    maxItems: MAX_FILTERS,
    description:
      'Slugs of filters; a track must carry all of them. An unknown filter matches nothing, and `warnings` names it.',
    examples: [['ambient']],
  }),
);
