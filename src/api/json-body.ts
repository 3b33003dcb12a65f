import type { FieldProblem } from '../kernel/errors.ts';
import { BODY, refuse, report, shortened } from './problems.ts';

/** How deep objects and arrays may lie in each other (decisions §1, Bounds). */
export const MAX_DEPTH = 32;

const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true });

/** The text of a body; undefined, and a problem, where the bytes are not UTF-8. */
export function bodyText(bytes: Buffer, problems: FieldProblem[]): string | undefined {
  try {
    return STRICT_UTF8.decode(bytes);
  } catch {
    refuse(problems, BODY, 'be UTF-8');
    return undefined;
  }
}

/**
 * The value of a JSON text; undefined, and problems, where it is not JSON, nested too deeply, has a
 * member twice (readers differ in which one they believe, RFC 8259 §4) or one that would reach the
 * prototype of an object.
 */
export function parseJson(text: string, problems: FieldProblem[]): unknown {
  if (text.trim() === '') {
    report(problems, BODY, 'body is empty; send a JSON object');
    return undefined;
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    report(problems, BODY, `body is not JSON${whereOf(error, text)}`);
    return undefined;
  }
  const before = problems.length;
  checkStructure(text, problems);
  return problems.length === before ? value : undefined;
}

/** Where the parser stopped, as far as it says. Its own message is not passed on, for it quotes the body. */
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

/** Walks a text that is known to be JSON, looking at brackets and member names alone. */
function checkStructure(text: string, problems: FieldProblem[]): void {
  /** The names seen in each object that is open; null for an array. */
  const open: (Set<string> | null)[] = [];
  let expectsName = false;
  for (let i = 0; i < text.length; i++) {
    switch (text[i]) {
      case '{':
      case '[':
        expectsName = text[i] === '{';
        open.push(expectsName ? new Set() : null);
        if (open.length > MAX_DEPTH) {
          refuse(problems, BODY, `not be nested deeper than ${MAX_DEPTH} levels`);
          return;
        }
        break;
      case '}':
      case ']':
        open.pop();
        expectsName = false;
        break;
      case ',':
        expectsName = open.at(-1) !== null;
        break;
      case '"': {
        const end = endOfString(text, i);
        if (expectsName) {
          checkName(JSON.parse(text.slice(i, end + 1)) as string, open.at(-1)!, problems);
          expectsName = false;
        }
        i = end;
        break;
      }
    }
  }
}

/** The index of the quote that closes the string opened at `start`. */
function endOfString(text: string, start: number): number {
  let i = start + 1;
  while (text[i] !== '"') {
    i += text[i] === '\\' ? 2 : 1;
  }
  return i;
}

function checkName(name: string, seen: Set<string>, problems: FieldProblem[]): void {
  const field = shortened(name);
  if (name === '__proto__' || name === 'constructor') {
    report(problems, field, `${field} is not a member that a body may have`);
  } else if (seen.has(name)) {
    refuse(problems, field, 'be given once');
  }
  seen.add(name);
}
