/** The parts of JSON Schema that the OpenAPI document uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
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
