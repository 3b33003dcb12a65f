import type { FieldProblem } from '../../../../common/errors.ts';
import { firstMoment, lastMoment } from '../date-or-time.ts';
import { isFull, report } from '../problems.ts';
import type { SchemaNode } from './schema-node.ts';

/**
 * Checks the ranges of an object whose members have been checked; `path` returns the field name of a member.
 * Skips a range with an end that already has a problem.
 */
export type RangeCheck = (
  object: Readonly<Record<string, unknown>>,
  path: (name: string) => string,
  problems: FieldProblem[],
) => void;

/**
 * Compiles the check of a schema's `x-ranges`: pairs of optional members, both numbers or both dates or
 * times, of which the first must not exceed the second. Returns undefined if there are none.
 */
export function compileRanges({ 'x-ranges': ranges }: SchemaNode): RangeCheck | undefined {
  return (
    ranges &&
    ((object, path, problems) => {
      for (const [lower, upper] of ranges) {
        const from = object[lower];
        if (from === undefined) {
          continue;
        }
        const to = object[upper];
        if (to === undefined || isFull(problems)) {
          continue;
        }
        const [fromField, toField] = [path(lower), path(upper)];
        if (problems.some(({ field }) => field === fromField || field === toField)) {
          continue;
        }
        if (typeof from === 'number' && from > (to as number)) {
          report(problems, fromField, `${fromField} must not be above ${toField}`);
          report(problems, toField, `${toField} must not be below ${fromField}`);
        }
        if (typeof from === 'string' && firstMoment(from) > lastMoment(to as string)) {
          report(problems, fromField, `${fromField} must not be after ${toField}`);
          report(problems, toField, `${toField} must not be before ${fromField}`);
        }
      }
    })
  );
}
