import type { FieldProblem } from '../../../common/errors.ts';
import { type Headers, headerOf } from '../response/entity-tags.ts';
import { refuse } from './problems.ts';

const FIELD = 'Idempotency-Key';

/** The content of a string of RFC 9651 §3.3.3, without spaces. */
const QUOTED = /^ *"((?:[\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)" *$/;
/** The same without quotes, as some clients send it. A semicolon would begin the parameters of a string. */
const PLAIN = /^[\x21\x23-\x3a\x3c-\x7e]+$/;
const MAX_LENGTH = 255;

/**
 * Returns the key of a request, without quotes; undefined if there is none. Adds a problem for an invalid
 * one. Node joins repeated headers by a comma and a space, which no key contains.
 */
export function idempotencyKeyOf(headers: Headers, problems: FieldProblem[]): string | undefined {
  const value = headerOf(headers, 'idempotency-key');
  if (value === undefined) {
    return undefined;
  }
  const quoted = QUOTED.exec(value)?.[1]?.replace(/\\(["\\])/g, '$1');
  const key = quoted ?? (PLAIN.test(value) ? value : '');
  if (key === '' || key.length > MAX_LENGTH) {
    refuse(problems, FIELD, `be one text of 1 to ${MAX_LENGTH} visible ASCII characters`);
    return undefined;
  }
  return key;
}
