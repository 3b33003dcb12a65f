import type { FieldProblem } from '../kernel/errors.ts';

/** At most so many problems are reported of one request; a body can hold thousands. */
export const MAX_PROBLEMS = 50;

/** How the root of a body is named in problems. */
export const BODY = 'body';

/** Adds a problem. The message is a clause without a full stop. */
export function report(problems: FieldProblem[], field: string, message: string): void {
  if (problems.length < MAX_PROBLEMS) {
    problems.push({ field, message });
  }
}

/** Whether no more would be reported, so that looking for more is work that a stranger could order. */
export function isFull(problems: readonly FieldProblem[]): boolean {
  return problems.length >= MAX_PROBLEMS;
}

/** Adds a problem; `rule` follows “must”. */
export function refuse(problems: FieldProblem[], field: string, rule: string): void {
  report(problems, field, `${field} must ${rule}`);
}

/** A name from outside, short enough to stand in a message. */
export function shortened(name: string): string {
  return name.length <= 60 ? name : `${name.slice(0, 60).toWellFormed()}…`;
}
