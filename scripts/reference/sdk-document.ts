/** The parts of JSON Schema that the OpenAPI document uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  'x-extensible-enum'?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  description?: string;
  deprecated?: boolean;
}

interface Content {
  content?: Record<string, { schema?: Schema }>;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: Schema;
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  deprecated?: boolean;
  security?: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: Content;
  responses: Record<string, Content>;
}

/** The parts of the OpenAPI document from which the client library is generated. */
export interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: { schemas: Record<string, Schema>; responses: Record<string, Content> };
}

/** A documentation comment that ends with a line feed, or nothing without a text. */
export function docComment(text: string | undefined, deprecated = false): string {
  const lines = (text ?? '').replaceAll('*/', '*\\/').split('\n');
  if (deprecated) lines.push('@deprecated');
  const shown = lines.filter((line, i) => line !== '' || i > 0);
  if (shown.length === 0) return '';
  if (shown.length === 1) return `/** ${shown[0]} */\n`;
  return `/**\n${shown.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`;
}

/**
 * For each parameter of a path, the words that other paths have in its place. As a value, such a word would make the path
 * that of another operation. Undefined if there are none.
 */
export function reservedIn(
  path: string,
  paths: readonly string[],
): Record<string, string[]> | undefined {
  const parts = path.split('/');
  const siblings = paths
    .map((one) => one.split('/'))
    .filter((other) => other.length === parts.length)
    .filter((other) =>
      parts.every((part, i) => part === other[i] || isParameter(part) || isParameter(other[i]!)),
    );
  const reserved = parts.flatMap((part, i): [string, string[]][] => {
    const words = new Set(siblings.map((other) => other[i]!).filter((word) => !isParameter(word)));
    return isParameter(part) && words.size > 0 ? [[part.slice(1, -1), [...words]]] : [];
  });
  return reserved.length === 0 ? undefined : Object.fromEntries(reserved);
}

function isParameter(part: string): boolean {
  return part.startsWith('{');
}
