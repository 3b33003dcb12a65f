import { CommanderError } from 'commander';
import { explain as explainError, oneLine } from '../../../common/text/explain.ts';

/** Returns one line that says what went wrong and what to do, without a stack. */
export function explain(error: unknown): string {
  return error instanceof CommanderError
    ? oneLine(error.message.replace(/^error: /, ''))
    : explainError(error);
}
