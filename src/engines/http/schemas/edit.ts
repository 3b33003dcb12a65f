import Type from 'typebox';
import type { FieldProblem } from '../../../common/errors.ts';

/** Returns the problem of an edit that changes nothing (docs/contract/http.md#editing). */
export function refuseEmpty(body: object): FieldProblem[] {
  return Object.keys(body).length > 0
    ? []
    : [{ field: 'body', message: 'body must have a member to change' }];
}

/** The schema of a response to a deletion. */
export function deletedSchema(title: string) {
  return Type.Object(
    {
      id: Type.String({ examples: ['0193a4c2-7b10-7c3e-9f10-5d2e8b7a6c41'] }),
      deleted: Type.Literal(true, { examples: [true] }),
    },
    { title },
  );
}
