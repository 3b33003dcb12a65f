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

  /** What follows “must” in the message for any value that breaks this schema. */
  'x-rule'?: string;
  /** Pairs of members of which the first may not lie above the second. */
  'x-ranges'?: readonly (readonly [lower: string, upper: string])[];
}

/** The words or numbers that a schema lets through, where it is a choice among them. */
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
