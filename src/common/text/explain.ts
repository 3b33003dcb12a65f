import { OperatorError, StaveError } from '../errors.ts';
import { printable } from './shown.ts';

const SYSTEM_ERRORS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOENT: 'no such file or folder',
  ENOTDIR: 'not a folder',
  EISDIR: 'a folder, not a file',
  EMFILE: 'too many open files; raise the limit (ulimit -n)',
  ENFILE: 'too many open files on this machine',
  EADDRINUSE: 'the address is in use; stop what listens there or set PORT',
  EADDRNOTAVAIL: 'this machine does not have that address; set HOST',
  ENOTFOUND: 'no such host name',
};

const NUL_IN_PATH = 'a path cannot contain the character NUL';

/** Whether the explanation of an error says all that an operator needs. All other errors need their stack. */
export function isExpected(error: unknown): boolean {
  if (error instanceof StaveError) {
    return error.kind !== 'internal_error';
  }
  return error instanceof OperatorError || systemMeaning(error) !== undefined;
}

/** Returns one line that says what went wrong and what to do, without a stack. */
export function explain(error: unknown): string {
  if (error instanceof StaveError) {
    if (error.cause instanceof OperatorError) {
      return oneLine(error.cause.message);
    }
    const details = (error.details ?? []).map(({ field, message }) => `${field}: ${message}`);
    return oneLine([error.message, ...details].join(' '));
  }
  if (error instanceof OperatorError) {
    return oneLine(error.message);
  }
  if (!(error instanceof Error)) {
    return `failed: ${oneLine(String(error))}`;
  }
  const { path, syscall } = error as NodeJS.ErrnoException;
  const meaning = systemMeaning(error);
  if (meaning !== undefined) {
    return oneLine([path ?? syscall, meaning].filter(Boolean).join(': '));
  }
  return oneLine(`unexpected failure: ${error.message} (STAVE_LOG_LEVEL=debug shows where)`);
}

/** Returns what a system error means, without what it concerns: `permission denied`. */
export function meaningOf(error: unknown): string {
  return systemMeaning(error) ?? (error as NodeJS.ErrnoException).code ?? String(error);
}

function systemMeaning(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = error as NodeJS.ErrnoException;
  // Node checks each path itself, and has no code of its own for this.
  const hasNul = code === 'ERR_INVALID_ARG_VALUE' && error.message.includes('without null bytes');
  return hasNul ? NUL_IN_PATH : SYSTEM_ERRORS[code ?? ''];
}

/** Puts a text into one line that is safe for a terminal. */
export function oneLine(text: string): string {
  return printable(text.replace(/\s*\n\s*/g, ' ').trim());
}

/**
 * The known word that is nearest to the given word, for "did you mean" in error messages; undefined
 * if more than a third of the letters differ from every known word.
 * The word may come from an anonymous caller and have any length: a word that is much longer than a
 * candidate is not compared with it. The cost per candidate is at most about the square of the
 * candidate's length, so `known` should have tens of words, not thousands.
 */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  const tolerance = Math.max(2, Math.ceil(word.length / 3));
  let limit = tolerance + 1;
  let best: string | undefined;
  let folded: string | undefined;
  for (const candidate of known) {
    if (Math.abs(candidate.length - word.length) >= limit) {
      continue;
    }
    folded ??= word.toLowerCase();
    const distance = levenshtein(folded, candidate.toLowerCase());
    if (distance < limit) {
      limit = distance;
      best = candidate;
    }
  }
  return best;
}

/** Returns ` (did you mean …?)` for the known word that is nearest; `''` if none is near (`nearest`). */
export function didYouMean(word: string, known: Iterable<string>): string {
  const near = nearest(word, known);
  return near === undefined ? '' : ` (did you mean ${near}?)`;
}

function levenshtein(a: string, b: string): number {
  let previous = new Uint32Array(b.length + 1).map((_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const current = new Uint32Array(b.length + 1).fill(i, 0, 1);
    for (let j = 1; j <= b.length; j++) {
      const substitution = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      current[j] = Math.min(previous[j]! + 1, current[j - 1]! + 1, substitution);
    }
    previous = current;
  }
  return previous[b.length]!;
}
