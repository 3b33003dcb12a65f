import type { FieldProblem } from '../common/errors.ts';
import { BODY, refuse, report, shortened } from './problems.ts';

/** How deep objects and arrays may be nested (docs/contract/limits.md#bounds-of-a-request). */
const MAX_DEPTH = 32;

/**
 * The most members in all objects of a body, on most routes. Objects with thousands of members are expensive
 * to build, and most endpoints know no more than some tens.
 */
export const MAX_MEMBERS = 1000;
/** The length of the shortest members, with a comma or a brace: `"":0,`. */
const LEAST_MEMBER_LENGTH = 5;

const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];
const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];

const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Decodes a body. Adds a problem and returns undefined if the bytes are not UTF-8. */
export function bodyText(bytes: Buffer, problems: FieldProblem[]): string | undefined {
  try {
    return STRICT_UTF8.decode(bytes);
  } catch {
    refuse(problems, BODY, 'be UTF-8');
    return undefined;
  }
}

/**
 * Parses a JSON text. Adds problems and returns undefined if it is not JSON or is nested too deeply. Also adds
 * a problem for each repeated member (parsers differ in which one they take, RFC 8259 §4) and for each member
 * that would change the prototype of an object, and still returns the value, in which further problems can be
 * looked for.
 */
export function parseJson(
  text: string,
  problems: FieldProblem[],
  maxMembers = MAX_MEMBERS,
): unknown {
  if (text.trim() === '') {
    report(problems, BODY, 'body is empty; send a JSON object');
    return undefined;
  }
  if (text.length > maxMembers * LEAST_MEMBER_LENGTH && countColons(text) > maxMembers) {
    refuse(problems, BODY, `have at most ${maxMembers} members`);
    return undefined;
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    report(problems, BODY, `body is not JSON${whereOf(error, text)}`);
    return undefined;
  }
  return checkStructure(text, problems) ? value : undefined;
}

/**
 * Returns where the parser stopped, if known. The parser's own message is not sent, because it quotes the
 * body.
 */
function whereOf(error: unknown, text: string): string {
  const { message } = error as Error;
  const position = Number(/position (\d+)/.exec(message)?.[1]);
  if (/end of JSON/.test(message) || position >= text.length) {
    return ': it ends too early';
  }
  if (Number.isNaN(position)) {
    return '';
  }
  const lines = text.slice(0, position).split('\n');
  return `: line ${lines.length}, column ${lines.at(-1)!.length + 1} is unexpected`;
}

/** Counts the colons outside of strings. A JSON text has one for each member. */
function countColons(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const sign = text.charCodeAt(i);
    if (sign === COLON) {
      count++;
    } else if (sign === QUOTE) {
      i = endOfString(text, i);
    }
  }
  return count;
}

/** An open object or array of a text. */
interface Open {
  /** The names in an object so far; null for an array. */
  names: Set<string> | null;
  /** The name of the member, or the index of the entry, that is being read. */
  at: string | number;
}

/**
 * Checks the brackets and the member names of a text that is known to be JSON. Returns false if it is nested
 * too deeply.
 */
function checkStructure(text: string, problems: FieldProblem[]): boolean {
  const open: Open[] = [];
  let expectsName = false;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case OPEN_BRACE:
      case OPEN_BRACKET:
        expectsName = text.charCodeAt(i) === OPEN_BRACE;
        open.push(expectsName ? { names: new Set(), at: '' } : { names: null, at: 0 });
        if (open.length > MAX_DEPTH) {
          refuse(problems, BODY, `not be nested deeper than ${MAX_DEPTH} levels`);
          return false;
        }
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        open.pop();
        expectsName = false;
        break;
      case COMMA: {
        const inner = open.at(-1)!;
        expectsName = typeof inner.at === 'string';
        if (typeof inner.at === 'number') inner.at++;
        break;
      }
      case QUOTE: {
        const end = endOfString(text, i);
        if (expectsName) {
          open.at(-1)!.at = JSON.parse(text.slice(i, end + 1)) as string;
          checkName(open, problems);
          expectsName = false;
        }
        i = end;
        break;
      }
    }
  }
  return true;
}

/**
 * Returns the index of the quote that closes the string opened at `start`; the length of the text if there is
 * none.
 */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

/** Whether an odd number of backslashes precedes a quote within a string. */
function isEscaped(text: string, quote: number): boolean {
  let first = quote;
  while (text.charCodeAt(first - 1) === BACKSLASH) first--;
  return (quote - first) % 2 === 1;
}

/** Checks the name that was read last. */
function checkName(open: readonly Open[], problems: FieldProblem[]): void {
  const { names, at } = open.at(-1)!;
  const name = at as string;
  if (name === '__proto__' || name === 'constructor') {
    const field = pathOf(open);
    report(problems, field, `${field} is not a member that a body may have`);
  } else if (names!.has(name)) {
    refuse(problems, pathOf(open), 'be given once');
  }
  names!.add(name);
}

/** Returns the path of the member that is being read, such as `events[7].seconds`. */
function pathOf(open: readonly Open[]): string {
  const steps = open.map(({ at }) => (typeof at === 'number' ? `[${at}]` : `.${shortened(at)}`));
  return steps.join('').replace(/^\./, '');
}
