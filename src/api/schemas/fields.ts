import Type, { type TSchemaOptions } from 'typebox';

/** Free text of at most 200 characters (docs/contract/limits.md#bounds-of-a-request). */
export function freeText(options?: TSchemaOptions) {
  return Type.String({ maxLength: 200, ...options });
}

/** How many filters a query may name (docs/contract/limits.md#bounds-of-a-request). */
export const MAX_FILTERS = 50;
