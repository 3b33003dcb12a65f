import type { FieldProblem } from '../../common/errors.ts';
import { UnreadableError } from './decode/decoded.ts';

/** A record or a file that was not imported, with the reason. */
export interface Rejection {
  /** As named on the command line; in a folder, the path of the file itself. */
  file: string;
  /** The line from 1; in a JSON document the number of the record; null for the whole file. */
  line: number | null;
  /** The faulty member of the record, as the record names it; `""` for the whole record. */
  field: string;
  reason: string;
}

/** Makes one rejection of all problems of a record. */
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

/**
 * The rest of a file is not read after more rejected records than this, if they are also this many
 * times more than the accepted ones.
 */
const MAX_REJECTED = 250_000;
const MAX_REJECTED_RATIO = 10;

interface Counts {
  read: number;
  rejected: number;
}

/** Throws UnreadableError if a file gave almost nothing but rejections since `before`. */
export function refuseHopeless(before: Counts, now: Counts): void {
  const rejected = now.rejected - before.rejected;
  const taken = now.read - before.read - rejected;
  if (rejected > MAX_REJECTED && rejected > taken * MAX_REJECTED_RATIO) {
    const reason = `${rejected} records were rejected and ${taken} taken; the rest was not read`;
    throw new UnreadableError(0, reason);
  }
}
