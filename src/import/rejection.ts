import type { FieldProblem } from '../kernel/errors.ts';

/** One record, or one file, that was not taken, and why. */
export interface Rejection {
  /** As named on the command line; in a folder, the file itself. */
  file: string;
  /** Line from 1; in a JSON document the number of the record; null where the file as a whole is meant. */
  line: number | null;
  /** The member of the record that is at fault, as the record names it; `""` for the record as a whole. */
  field: string;
  reason: string;
}

/** One rejection of all that is wrong with a record. */
export function rejectionOf(
  file: string,
  line: number | null,
  problems: readonly FieldProblem[],
): Rejection {
  const [first, ...others] = problems;
  const reasons = [
    first?.message ?? 'cannot be taken',
    ...others.map(({ field, message }) => `${field} ${message}`),
  ];
  return { file, line, field: first?.field ?? '', reason: reasons.join('; ') };
}
