export type Json = Record<string, unknown>;

/**
 * Converts schemas of routes into schemas of the document. A schema with a `title` becomes a component of
 * that name, with references to it. Two different schemas with one title are an error.
 */
export class SchemaLibrary {
  readonly #components = new Map<string, Json>();
  /** The titles of the schemas that are components already. Most are parts of many routes. */
  readonly #titles = new Map<object, string>();

  /** Returns the schema for use anywhere in the document: a reference, or a copy. */
  place(schema: object): Json {
    const placed = this.#titles.get(schema);
    if (placed !== undefined) return { $ref: `#/components/schemas/${placed}` };
    const { title, ...rest } = withWordsDescribed(withDefaultDescribed(schema as Json));
    if (typeof title !== 'string') {
      return this.#rewrite(rest);
    }
    if (rest.enum !== undefined && (rest.description ?? rest.examples) !== undefined) {
      // Each member with an enumeration has a description of its own.
      const { description, examples, ...same } = rest;
      return { ...this.place({ title, ...same }), ...present({ description, examples }) };
    }
    const component = this.#rewrite(rest);
    const known = this.#components.get(title);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(component)) {
      throw new Error(`two different schemas are called ${title}`);
    }
    this.#components.set(title, component);
    this.#titles.set(schema, title);
    return { $ref: `#/components/schemas/${title}` };
  }

  components(): Json {
    return Object.fromEntries([...this.#components].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #rewrite(schema: Json): Json {
    return Object.fromEntries(
      Object.entries(schema)
        // `x-rule` and the other `x-` keywords are for our own checks.
        .filter(([keyword]) => !keyword.startsWith('x-') || keyword === OPEN_ENUM)
        .map(([keyword, value]) => {
          switch (keyword) {
            case 'properties':
              return [
                keyword,
                Object.fromEntries(
                  Object.entries(value as Record<string, object>).map(([name, inner]) => [
                    name,
                    this.place(inner),
                  ]),
                ),
              ];
            case 'items':
            case 'additionalProperties':
              return [keyword, typeof value === 'object' ? this.place(value as object) : value];
            case 'allOf':
            case 'anyOf':
            case 'oneOf':
              // Each alternative repeats the type, for generators that read the alternatives separately.
              return [
                keyword,
                (value as object[]).map((inner) =>
                  this.place(schema.type === undefined ? inner : { type: schema.type, ...inner }),
                ),
              ];
            default:
              return [keyword, value];
          }
        }),
    );
  }
}

/** The members that have a value. */
export function present(members: Json): Json {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/**
 * Moves the default of a schema into its description. Client generators make a member with a `default`
 * required, in requests too.
 */
export function withDefaultDescribed({ default: value, ...schema }: Json): Json {
  if (value === undefined) {
    return schema;
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return { ...schema, description: `${schema.description ?? ''} Default: \`${text}\`.`.trim() };
}

const OPEN_ENUM = 'x-extensible-enum';

/** Adds the known values of an open enumeration to its description, because few programs read its keyword. */
function withWordsDescribed(schema: Json): Json {
  const words = schema[OPEN_ENUM] as readonly string[] | undefined;
  if (words === undefined) return schema;
  const known = `Known values, to which others may be added: ${words.map((word) => `\`${word}\``).join(', ')}.`;
  return { ...schema, description: `${schema.description ?? ''} ${known}`.trim() };
}

const EXAMPLES_BY_FORMAT: Readonly<Record<string, string>> = {
  uuid: '3d1a8f34-8b42-5f0c-a8a1-5b8f2f7c9d10',
  'date-time': '2026-11-21T10:40:10.000Z',
  uri: 'https://example.com/',
};

/** Returns a valid value of the schema, made from the examples of its parts. */
export function exampleOf(schema: object): unknown {
  const { examples, properties, items, ...rest } = schema as Json & {
    examples?: unknown[];
    properties?: Record<string, object>;
    items?: object;
  };
  if (examples !== undefined) {
    return examples[0];
  }
  if (properties !== undefined) {
    return Object.fromEntries(
      Object.entries(properties).map(([name, inner]) => [name, exampleOf(inner)]),
    );
  }
  if (items !== undefined) {
    return [exampleOf(items)];
  }
  if (Array.isArray(rest.anyOf)) {
    return exampleOf(rest.anyOf[0]);
  }
  if ('const' in rest) {
    return rest.const;
  }
  const words = rest.enum ?? rest[OPEN_ENUM];
  if (Array.isArray(words)) {
    return words[0];
  }
  switch (rest.type) {
    case 'integer':
    case 'number':
      return rest.minimum ?? 1;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'string':
      return EXAMPLES_BY_FORMAT[String(rest.format)] ?? 'text';
    default:
      return {};
  }
}
