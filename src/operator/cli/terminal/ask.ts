import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { OperatorError } from '../../../common/errors.ts';
import { readAtMost } from '../../../common/files.ts';
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
  const hidden = new Writable({ write: (_text, _encoding, done) => done() });
  const terminal = createInterface({
    input: stdin,
    output: hidden,
    terminal: true,
    historySize: 0,
  });
  const lines = terminal[Symbol.asyncIterator]();
  const ask = async (what: string) => {
    stderr.write(`${what}: `);
    const { value, done } = await lines.next();
    stderr.write('\n');
    // An interruption ends the lines.
    if (done) throw new OperatorError('nothing was changed');
    return value;
  };
  try {
    const secret = await ask(question);
    if (secret !== (await ask(again))) {
      throw new OperatorError('the two differ; nothing was changed');
    }
    return secret;
  } finally {
    terminal.close();
  }
}

/** Reads a secret from standard input, to its end, without the end of its line. Throws OperatorError if it is too long. */
export async function readSecret({ stdin }: Pick<Shell, 'stdin'>): Promise<string> {
  const bytes = await readAtMost(stdin, MAX_BYTES);
  if (bytes === undefined) throw new OperatorError(`standard input has over ${MAX_BYTES} bytes`);
  return bytes.toString().replace(/\r?\n$/, '');
}
