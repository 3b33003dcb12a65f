import { choicesOf, type SchemaNode } from './schema-node.ts';

/** The name of each format in messages; others appear under the name of the format. */
const FORMATS: Readonly<Record<string, string>> = {
  uuid: 'a UUID',
  date: 'a date such as 2026-11-21',
  'date-time': 'a time such as 2026-11-21T10:40:10.000Z',
  uri: 'an absolute URL',
};

/** Returns the rule of a schema, which follows “must ”: `be a whole number from 1 to 100`. */
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

/** Returns the rule for a text of this format. */
export function formatRule(format: string): string {
  return `be ${FORMATS[format] ?? `of the format ${format}`}`;
}

/** `a`, `a or b`, `a, b or c`. */
export function listed(words: readonly string[], conjunction: 'and' | 'or'): string {
  return words.length < 2
    ? (words[0] ?? 'nothing')
    : `${words.slice(0, -1).join(', ')} ${conjunction} ${words.at(-1)}`;
}

/** Returns `the only known member is a`, `the known members are a and b`. The names must not be empty. */
export function knownNames(noun: string, names: readonly string[]): string {
  return names.length === 1
    ? `the only known ${noun} is ${names[0]}`
    : `the known ${noun}s are ${listed(names, 'and')}`;
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
