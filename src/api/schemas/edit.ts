import type { FieldProblem } from '../../common/errors.ts';

/** Returns the problem of an edit that changes nothing (docs/contract/http.md#editing). */
export function refuseEmpty(body: object): FieldProblem[] {
  return Object.keys(body).length > 0
    ? []
    : [{ field: 'body', message: 'must have a member to change.' }];
}
