import { choicesOf, type SchemaNode } from './schema-node.ts';

/** What a text of each format is called in a message; others are named by their format. */
const FORMATS: Readonly<Record<string, string>> = {
  uuid: 'a UUID',
  date: 'a date such as 2026-11-21',
  'date-time': 'a time such as 2026-11-21T10:40:10.000Z',
  uri: 'an absolute URL',
};

/** What a value of this schema must be, to follow “must ”: `be a whole number from 1 to 100`. */
export function ruleOf(node: SchemaNode): string {
  if (node['x-rule'] !== undefined) {
    return node['x-rule'];
  }
  const choices = choicesOf(node);
  if (choices !== undefined) {
    const words = choices.map((choice) =>
      typeof choice === 'string' ? choice : JSON.stringify(choice),
    );
    return `be ${listed(words, 'or')}`;
  }
  switch (node.type) {
    case 'integer':
      return `be a whole number${range(node)}`;
    case 'number':
      return `be a number${range(node)}`;
    case 'boolean':
      return 'be true or false';
    case 'array':
      return 'be a list';
    case 'object':
      return 'be an object';
    case 'string':
      return 'be a text';
    default:
      return 'be of the form that the documentation describes';
  }
}

/** The rule that a text of this format must keep. */
export function formatRule(format: string): string {
  return `be ${FORMATS[format] ?? `of the format ${format}`}`;
}

/** `1 character`, `50 entries`: a number and its noun. */
export function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** `a`, `a or b`, `a, b or c`. */
export function listed(words: readonly string[], conjunction: 'and' | 'or'): string {
  return words.length < 2
    ? (words[0] ?? 'nothing')
    : `${words.slice(0, -1).join(', ')} ${conjunction} ${words.at(-1)}`;
}

function range({ minimum, maximum }: SchemaNode): string {
  if (minimum !== undefined && maximum !== undefined) {
    return ` from ${minimum} to ${maximum}`;
  }
  if (minimum !== undefined) {
    return ` of at least ${minimum}`;
  }
  return maximum === undefined ? '' : ` of at most ${maximum}`;
}
