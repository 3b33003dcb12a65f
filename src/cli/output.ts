import type { Writable } from 'node:stream';

/** Where a command tells its result and its notes. */
export interface Output {
  /** Whether `--json` was given: the result is then one JSON value on one line. */
  readonly json: boolean;
  /** Whether a person watches stderr: progress bars are for them alone. */
  readonly interactive: boolean;
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
    interactive: stderr.isTTY === true,
    result(value, text) {
      const shown = json ? JSON.stringify(value) : text();
      if (shown !== '') {
        stdout.write(`${shown}\n`);
      }
    },
    note(text) {
      stderr.write(`${text}\n`);
    },
    warn(text) {
      stderr.write(`stave: ${text}\n`);
    },
  };
}
