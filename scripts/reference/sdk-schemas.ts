import { docComment, type Schema } from './sdk-document.ts';

/** The TypeScript type of a JSON schema, as the OpenAPI document contains it. Throws on a form that it does not know. */
export function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ');
  if (schema['x-extensible-enum'] !== undefined) {
    const known = schema['x-extensible-enum'].map(literal).join(' | ');
    // The last one keeps the known words in the completions of editors.
    return `${known} | (string & {})${Array.isArray(schema.type) ? ' | null' : ''}`;
  }
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeOf))].join(' | ');
  if (Array.isArray(schema.type)) {
    return schema.type.map((type) => typeOf({ ...schema, type })).join(' | ');
  }
  switch (schema.type) {
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'array':
      return `${inParentheses(typeOf(schema.items ?? {}))}[]`;
    case 'object':
      return objectType(schema);
    case undefined:
      return 'unknown';
  }
  throw new Error(`a schema of the type ${schema.type} is not supported`);
}

/** The declaration of a named schema, with the comments of its members. */
export function declarationOf(name: string, schema: Schema): string {
  const comment = docComment(schema.description, schema.deprecated);
  const type = typeOf(schema);
  return type.startsWith('{')
    ? `${comment}export interface ${name} ${type}`
    : `${comment}export type ${name} = ${type};`;
}

function objectType({ properties = {}, required = [], additionalProperties }: Schema): string {
  const members = Object.entries(properties).map(([name, member]) => {
    const optional = required.includes(name) ? '' : '?';
    const comment = docComment(member.description, member.deprecated);
    return `${comment}${memberName(name)}${optional}: ${typeOf(member)};`;
  });
  if (members.length === 0) {
    return typeof additionalProperties === 'object'
      ? `Record<string, ${typeOf(additionalProperties)}>`
      : 'Record<string, unknown>';
  }
  if (additionalProperties === true) members.push('[name: string]: unknown;');
  return `{\n${members.join('\n')}\n}`;
}

function memberName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
}

function literal(value: unknown): string {
  return typeof value === 'string'
    ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
    : JSON.stringify(value);
}

function inParentheses(type: string): string {
  return /^[\w.]+$/.test(type) || type.startsWith('{') ? type : `(${type})`;
}
