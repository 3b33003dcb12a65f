import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { OperatorError } from '../../../common/errors.ts';
import { printable } from '../../../common/text/shown.ts';
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

/** The greatest size of a secret. */
const MAX_BYTES = 4_096;

type Terminal = Readable & { setRawMode?(on: boolean): unknown };

/**
 * Asks for a secret on the terminal, and once more, without showing it. Throws OperatorError without a terminal, if the
 * user interrupts it, and if the two differ.
 */
export async function askSecret(
  { stdin, stderr }: Pick<Shell, 'stdin' | 'stderr'>,
  { question, again, option }: { question: string; again: string; option: string },
): Promise<string> {
  if (stdin.isTTY !== true || stderr.isTTY !== true) {
    throw new OperatorError(`there is no terminal to ask on: give ${option}`);
  }
  const terminal: Terminal = stdin;
  const keys = keysOf(terminal);
  // The terminal would otherwise show what is typed.
  terminal.setRawMode?.(true);
  try {
    const secret = await hiddenLine(keys, stderr, question);
    if (secret !== (await hiddenLine(keys, stderr, again))) {
      throw new OperatorError('the two differ; nothing was changed');
    }
    return secret;
  } finally {
    terminal.setRawMode?.(false);
    await keys.return(undefined);
  }
}

/** Reads a secret from standard input, to its end, without the end of its line. Throws OperatorError if it is too long. */
export async function readSecret({ stdin }: Pick<Shell, 'stdin'>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > MAX_BYTES) throw new OperatorError(`standard input has over ${MAX_BYTES} bytes`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks)
    .toString()
    .replace(/\r?\n$/, '');
}

async function* keysOf(terminal: Readable): AsyncGenerator<string> {
  terminal.setEncoding('utf8');
  for await (const text of terminal) yield* text as string;
}

async function hiddenLine(
  keys: AsyncGenerator<string>,
  stderr: Shell['stderr'],
  question: string,
): Promise<string> {
  stderr.write(`${question}: `);
  const typed: string[] = [];
  for (;;) {
    const { value, done } = await keys.next();
    if (done || value === '\u0003' || value === '\u0004') {
      stderr.write('\n');
      throw new OperatorError('nothing was changed');
    }
    if (value === '\r' || value === '\n') break;
    if (value === '\b' || value === '\u007f') typed.pop();
    else if (typed.length < MAX_BYTES) typed.push(value);
  }
  stderr.write('\n');
  return typed.join('');
}
