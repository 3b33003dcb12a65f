import Type from 'typebox';
import { MAX_FILTERS } from './fields.ts';

const WarningSchema = Type.Object(
  {
    field: Type.String({
      description: 'The parameter that the warning is about.',
      examples: ['filterSlugs'],
    }),
    message: Type.String({
      description: 'The warning, for people.',
      examples: ['no filter has the slug clam; did you mean calm?'],
    }),
  },
  { title: 'Warning', description: 'Says that the result may not be the intended one.' },
);

/** A member of pages that filters restrict (docs/contract/search.md#warnings). */
export const warningsMember = {
  warnings: Type.Optional(
    Type.Array(WarningSchema, {
      minItems: 1,
      maxItems: 2 * MAX_FILTERS,
      description:
        'The filters of the query that do not exist and therefore match nothing. Absent if all of them exist.',
    }),
  ),
};
