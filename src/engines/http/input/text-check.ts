import Format from 'typebox/format';
import { isUuid } from '../../../common/ids.ts';
import { counted } from '../../../common/text/counted.ts';
import type { SchemaNode } from './schema/schema-node.ts';
import { formatRule } from './schema/schema-rules.ts';

/** Returns the rule that a text breaks, which follows “must ”; undefined for a valid text. */
export type TextRule = (text: string) => string | undefined;

/** Compiles the check of texts, by the rules of the schema and the rules for every text. */
export function compileTextRule(node: SchemaNode): TextRule {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format } = node;
  const matcher = pattern === undefined ? undefined : new RegExp(pattern, 'u');
  const isOfFormat = format === undefined ? undefined : formatCheck(format);
  return (text) => {
    if (text.includes('\0')) {
      return 'not hold the character NUL';
    }
    if (!text.isWellFormed()) {
      return 'not hold half of a surrogate pair';
    }
    // Counts characters, as JSON Schema does; a text has no more of them than UTF-16 units.
    if (text.length > maxLength && lengthOf(text) > maxLength) {
      return `be at most ${counted(maxLength, 'character')} long`;
    }
    if (text.length < minLength * 2 && lengthOf(text) < minLength) {
      return minLength === 1
        ? 'not be empty'
        : `be at least ${counted(minLength, 'character')} long`;
    }
    if (isOfFormat !== undefined && !isOfFormat(text)) {
      return formatRule(format!);
    }
    return matcher === undefined || matcher.test(text) ? undefined : `match ${pattern}`;
  };
}

function formatCheck(format: string): (text: string) => boolean {
  // Faster than the library: a request may contain a hundred of them.
  if (format === 'uuid') {
    return isUuid;
  }
  if (!Format.Has(format)) {
    throw new TypeError(`A schema names the unknown format ${format}.`);
  }
  return (text) => Format.Test(format, text);
}

function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) {
    length++;
  }
  return length;
}

/**
 * Whether any text in a value contains a character that no text may contain. The value is not nested deeper
 * than a body.
 */
export function holdsBadText(value: unknown): boolean {
  if (typeof value === 'string') {
    return value.includes('\0') || !value.isWellFormed();
  }
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsBadText);
}
