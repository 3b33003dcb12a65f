import Format from 'typebox/format';
import { counted } from '../common/counted.ts';
import type { SchemaNode } from './schema-node.ts';
import { formatRule } from './schema-rules.ts';

/** Returns the rule that a text breaks, which follows “must ”; undefined for a valid text. */
export type TextRule = (text: string) => string | undefined;

/** Compiles the check of texts, by the rules of the schema and the rules for every text. */
export function compileTextRule(node: SchemaNode): TextRule {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format } = node;
  const matcher = pattern === undefined ? undefined : new RegExp(pattern, 'u');
  if (format !== undefined && !Format.Has(format)) {
    throw new TypeError(`A schema names the unknown format ${format}.`);
  }
  // The pattern of a UUID is stricter than its format, and a request may contain a hundred of them.
  const checkedFormat = format === 'uuid' && pattern !== undefined ? undefined : format;
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
    if (checkedFormat !== undefined && !Format.Test(checkedFormat, text)) {
      return formatRule(checkedFormat);
    }
    return matcher === undefined || matcher.test(text) ? undefined : `match ${pattern}`;
  };
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
