import type { FieldProblem } from '../../../../common/errors.ts';
import { report } from '../problems.ts';
import type { SchemaNode } from './schema-node.ts';

/** Checks the presence of members of an object; `path` returns the field name of a member. */
type MembersCheck = (
  object: Readonly<Record<string, unknown>>,
  path: (name: string) => string,
  problems: FieldProblem[],
) => void;

/** Compiles the check of a schema's `x-members-by`. Returns undefined if there is none. */
export function compileMembersBy({ 'x-members-by': rule }: SchemaNode): MembersCheck | undefined {
  if (rule === undefined) {
    return undefined;
  }
  const { member } = rule;
  const [needs, refuses] = [
    new Map(Object.entries(rule.needs)),
    new Map(Object.entries(rule.refuses)),
  ];
  return (object, path, problems) => {
    const value = object[member];
    if (typeof value !== 'string') {
      return;
    }
    for (const name of needs.get(value) ?? []) {
      if (!Object.hasOwn(object, name)) {
        report(problems, path(name), `${path(name)} is missing; it belongs to ${member} ${value}`);
      }
    }
    for (const name of refuses.get(value) ?? []) {
      if (Object.hasOwn(object, name)) {
        report(problems, path(name), `${path(name)} does not belong to ${member} ${value}`);
      }
    }
  };
}
