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

/** Which optional members an object must and must not have, by the value of another member. */
interface MembersBy {
  member: string;
  needs: Readonly<Record<string, readonly string[]>>;
  refuses: Readonly<Record<string, readonly string[]>>;
}

/** A JSON Schema by its keywords, as TypeBox writes them. */
export interface SchemaNode {
  type?: string | readonly string[];
  enum?: readonly unknown[];
  const?: unknown;
  anyOf?: readonly SchemaNode[];
  default?: unknown;

  properties?: Readonly<Record<string, SchemaNode>>;
  required?: readonly string[];
  additionalProperties?: boolean | SchemaNode;

  items?: SchemaNode;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;

  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;

  /** The rule that follows “must” in the message for an invalid value. */
  'x-rule'?: string;
  /** Whether an empty text removes the value, for the message for null. */
  'x-removable'?: boolean;
  /** What a value that others use, in upper case, means here. */
  'x-meant'?: Readonly<Record<string, string>>;
  /** Pairs of members of which the first must not exceed the second. */
  'x-ranges'?: readonly (readonly [lower: string, upper: string])[];
  'x-members-by'?: MembersBy;
}

/** Returns the allowed values of a schema that is a choice of constants; undefined for others. */
export function choicesOf(node: SchemaNode): readonly unknown[] | undefined {
  if (node.enum !== undefined) {
    return node.enum;
  }
  if ('const' in node) {
    return [node.const];
  }
  const alternatives = node.anyOf?.map(choicesOf);
  return alternatives?.every((choice) => choice !== undefined) ? alternatives.flat() : undefined;
}
