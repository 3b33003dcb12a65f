import type { Writable } from 'node:stream';

/** Where a command tells its result and its notes. */
export interface Output {
  /** Whether `--json` was given: the result is then one JSON value on one line. */
  readonly json: boolean;
  /** Where a person watches, for progress bars alone; undefined where nobody does. */
  readonly terminal: Writable | undefined;
  /** The result, on stdout: `value` with --json, else `text`, made only when it is needed. */
  result(value: unknown, text: () => string): void;
  /** What a person should know beside the result, on stderr; silent for nobody. */
  note(text: string): void;
  /** One line on stderr that something went wrong though the command goes on. */
  warn(text: string): void;
}

/** The output of one command, onto two streams. Never closes them. */
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

/** Names come from suppliers: a character that would steer the terminal is shown as one it cannot read. */
export function printable(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, '\uFFFD');
}
