import type { FieldProblem } from '../../../common/errors.ts';
import {
  countMembers,
  type JsonPath,
  scanMembers,
  shownPath,
} from '../../../common/text/json-members.ts';
import { BODY, refuse, report, shortened } from './problems.ts';

/** How deep objects and arrays may be nested (docs/contract/limits.md#bounds-of-a-request). */
const MAX_DEPTH = 32;

/**
 * The most members in all objects of a body, on most routes. Objects with thousands of members are expensive
 * to build, and most endpoints know no more than some tens.
 */
export const MAX_MEMBERS = 1000;
/** The length of the shortest members, with a comma or a brace: `"":0,`. */
const MIN_MEMBER_LENGTH = 5;

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
  if (text.length > maxMembers * MIN_MEMBER_LENGTH && countMembers(text) > maxMembers) {
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

/**
 * Checks the brackets and the member names of a text that is known to be JSON. Returns false if it is nested
 * too deeply.
 */
function checkStructure(text: string, problems: FieldProblem[]): boolean {
  const isWhole = scanMembers(text, MAX_DEPTH, (name, isRepeated, path) => {
    if (name === '__proto__' || name === 'constructor') {
      const field = pathOf(path);
      report(problems, field, `${field} is not a member that a body may have`);
    } else if (isRepeated) {
      refuse(problems, pathOf(path), 'be given once');
    }
  });
  if (!isWhole) refuse(problems, BODY, `not be nested deeper than ${MAX_DEPTH} levels`);
  return isWhole;
}

function pathOf(path: JsonPath): string {
  return shownPath(path, shortened);
}
