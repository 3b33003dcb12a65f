import type { FieldProblem } from '../../../common/errors.ts';
import { withoutSecretText } from '../../../common/text/secret-text.ts';

/** The most problems that one response reports; a body can have thousands. */
export const MAX_PROBLEMS = 50;

/** The field name of the whole body in problems. */
export const BODY = 'body';

/** Adds a problem. The message has no period at its end. */
export function report(problems: FieldProblem[], field: string, message: string): void {
  if (problems.length < MAX_PROBLEMS) {
    problems.push({ field, message });
  }
}

/** Whether further problems would not be reported, so that looking for them would waste time. */
export function isFull(problems: readonly FieldProblem[]): boolean {
  return problems.length >= MAX_PROBLEMS;
}

/** Adds a problem whose message is “must” and the rule. */
export function refuse(problems: FieldProblem[], field: string, rule: string): void {
  report(problems, field, `${field} must ${rule}`);
}

/**
 * Returns a name from a request, shortened for a message, and with anything that looks like a secret
 * redacted.
 */
export function shortened(name: string): string {
  const short = name.length <= 60 ? name : `${name.slice(0, 60).toWellFormed()}…`;
  return withoutSecretText(short);
}
