import type { Writable } from 'node:stream';
import { printable } from '../../../common/text/printable.ts';

/** Where a command writes its result and its notes. */
export interface Output {
  /** Whether `--json` was given. The result is then one JSON value on one line. */
  readonly json: boolean;
  /** The terminal for progress bars; undefined if stderr is not a terminal. */
  readonly terminal: Writable | undefined;
  /**
   * Writes the result to stdout: `value` with --json, otherwise `text`, which is made only when
   * needed.
   */
  result(value: unknown, text: () => string): void;
  /** Writes a note for people to stderr. */
  note(text: string): void;
  /** Writes one line to stderr about a problem that does not stop the command. */
  warn(text: string): void;
}

/** Opens the output of one command on two streams. Never closes them. */
export function openOutput({
  json,
  stdout,
  stderr,
}: {
  json: boolean;
  stdout: Writable;
  stderr: Writable & { isTTY?: boolean };
}): Output {
  return {
    json,
    terminal: stderr.isTTY === true ? stderr : undefined,
    result(value, text) {
      const shown = json ? JSON.stringify(value) : printable(text());
      if (shown !== '') {
        stdout.write(`${shown}\n`);
      }
    },
    note(text) {
      stderr.write(`${printable(text)}\n`);
    },
    warn(text) {
      stderr.write(`stave: ${printable(text)}\n`);
    },
  };
}

/** As `printable`, for CSV and NDJSON: keeps both characters of the ends of lines. */
export function withoutControls(text: string): string {
  return text.replace(/[^\P{Cc}\r\n\t]/gu, '\uFFFD');
}
