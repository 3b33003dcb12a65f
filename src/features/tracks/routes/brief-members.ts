import Type from 'typebox';
import type { FieldProblem } from '../../../common/errors.ts';

/** The greatest number of texts that `ignore` names: as many as parts that a brief may have, and the ignored ones. */
const MAX_IGNORED = 100;
const MAX_LENGTH = 1_000;

/** See docs/contract/briefs.md#request. */
export const briefMembers = {
  brief: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_LENGTH,
      description:
        'What you would write to a music consultant, in English, German, French or Spanish. The tracks that have most of it come first, and `brief` of the response tells how it was understood. Excludes `query` and `sort`.',
      examples: ['dark cinematic trailer, around 90 bpm, no vocals, under two minutes'],
    }),
  ),
  ignore: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: MAX_LENGTH, examples: ['trailer'] }), {
      maxItems: MAX_IGNORED,
      description: 'Texts of `understood` that are to be left out of the brief.',
    }),
  ),
};

export interface BriefRequest {
  brief: string;
  ignore?: readonly string[];
}

/** Returns the problems of a body with a brief. `sort` may have its default. */
export function briefProblems(body: {
  brief?: string;
  ignore?: unknown;
  query?: string;
  sort?: string;
}): FieldProblem[] {
  const refused = body.brief === undefined ? (['ignore'] as const) : (['query', 'sort'] as const);
  return refused
    .filter((field) => body[field] !== undefined)
    .map((field) => ({
      field,
      message: `${field} must be absent ${body.brief === undefined ? 'without' : 'with'} brief`,
    }));
}
