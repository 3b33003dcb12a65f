import { createInterface } from 'node:readline';
import { OperatorError } from '../../../common/operator-error.ts';
import { printable } from '../../../common/text/printable.ts';
import type { Shell } from '../shell.ts';

/**
 * Asks on the terminal whether to go on. Without a terminal, throws OperatorError with what was found and the option
 * that answers the question.
 *
 * @param found what needs an answer, as a sentence without its full stop
 */
export async function askToGoOn(
  { stdin, stderr }: Pick<Shell, 'stdin' | 'stderr'>,
  { found, question, option }: { found: string; question: string; option: string },
): Promise<void> {
  if (stdin.isTTY !== true || stderr.isTTY !== true) {
    throw new OperatorError(`${found}: give ${option} if that is meant`);
  }
  stderr.write(`${printable(found)}. ${question} [y/N] `);
  const lines = createInterface({ input: stdin });
  try {
    // Ends without a line at the end of the input.
    for await (const line of lines) {
      if (/^y(?:es)?$/i.test(line.trim())) return;
      break;
    }
  } finally {
    lines.close();
  }
  throw new OperatorError('nothing was changed');
}
