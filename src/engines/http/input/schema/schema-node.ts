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
  /** Pairs of members of which the first must not exceed the second. */
  'x-ranges'?: readonly (readonly [lower: string, upper: string])[];
  /** Members whose presence depends on another one. */
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
