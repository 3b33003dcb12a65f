import { type Json, present } from './schema-library.ts';

/**
 * Returns a document as OpenAPI 3.0, for tools that know no 3.1. It must have no messages to webhooks, which 3.0 has no
 * place for.
 */
export function asOpenApi30(document: Json): Json {
  const info = document.info as Json & { license: Json };
  const { name } = info.license;
  const url = 'https://www.apache.org/licenses/LICENSE-2.0';
  const converted = convert({ ...document, info: undefined }) as Json;
  return { ...converted, openapi: '3.0.3', info: { ...info, license: { name, url } } };
}

/** The keywords whose values are data, not parts of the document. */
const DATA = new Set(['example', 'examples', 'enum', 'default', 'x-extensible-enum']);

function convert(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(convert);
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).map(([key, value]) => {
    if (key === 'properties') return [key, membersOf(value as Json)];
    return [key, DATA.has(key) ? value : convert(value)];
  });
  return schemaOf30(Object.fromEntries(entries));
}

/** The names of members may be those of keywords. */
function membersOf(members: Json): Json {
  return Object.fromEntries(
    Object.entries(members).map(([name, schema]) => [name, convert(schema)]),
  );
}

function schemaOf30({ const: value, ...schema }: Json): Json {
  const { $ref, ...beside } = schema;
  if ($ref !== undefined && Object.keys(beside).length > 0) {
    // 3.0 ignores what stands beside a reference.
    return schemaOf30({ ...beside, allOf: [{ $ref }] });
  }
  const { type, anyOf, examples, ...rest } = schema;
  if (value !== undefined) return schemaOf30({ ...schema, enum: [value] });
  if (Array.isArray(examples))
    return schemaOf30({ ...rest, ...present({ type, anyOf }), example: examples[0] });
  if (Array.isArray(type)) {
    const others = type.filter((one) => one !== 'null');
    return { ...present({ anyOf, examples }), type: others[0], nullable: true, ...rest };
  }
  const others = (anyOf as Json[] | undefined)?.filter((one) => one.type !== 'null');
  if (others === undefined || others.length === (anyOf as Json[]).length) return schema;
  const [only] = others.length === 1 ? others : [];
  // Beside `nullable`, 3.0 requires a type, and ignores what stands beside a reference: all of those are objects.
  const alternatives =
    only === undefined
      ? { anyOf: others }
      : '$ref' in only
        ? { type: 'object', allOf: [only] }
        : only;
  return { ...present({ type, examples }), ...alternatives, ...rest, nullable: true };
}
