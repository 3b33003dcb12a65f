import {
  docComment,
  type OpenApi,
  type Operation,
  type Parameter,
  reservedIn,
  type Schema,
} from './sdk-document.ts';
import { declarationOf, typeOf } from './sdk-schemas.ts';

const GENERATED =
  '// Generated from docs/reference/openapi.json by `npm run reference`; not to be edited.\n';
/** Schemas around what the methods return and throw. */
const IN_ENVELOPES = /Envelope(?:WithData)?$|Error$/;
/** Headers that the client library sets by itself or by an option of every request. */
const OPTION_HEADERS = ['Accept-Language', 'Idempotency-Key', 'X-Stave-Now'];

/** How a method of the client library returns the body of a response. */
type Kind = 'bytes' | 'data' | 'document' | 'lines' | 'media' | 'page' | 'text';

/** Returns packages/sdk/src/generated/types.ts: the schemas of the OpenAPI document, and the inputs of the operations. */
export function sdkTypes(text: string): string {
  const document = JSON.parse(text) as OpenApi;
  const schemas = Object.entries(document.components.schemas)
    .filter(([name]) => !IN_ENVELOPES.test(name))
    .map(([name, schema]) => declarationOf(name, schema));
  const inputs = operationsOf(document).flatMap(({ operation }) => inputOf(operation));
  const messages = Object.values(document.webhooks).map(({ post }) =>
    typeOf(jsonOf(post.requestBody!)),
  );
  return `${[
    GENERATED,
    ...schemas,
    ...inputs,
    `/** The body of a message to a webhook. */\nexport type WebhookMessage = ${messages.join(' | ')};`,
    `/** The kinds of errors. New ones may be added. */\nexport type ErrorType = ${errorTypes(document).join(' | ')};`,
  ].join('\n\n')}\n`;
}

/** Returns packages/sdk/src/generated/operations.ts: a method for each operation of the OpenAPI document. */
export function sdkOperations(text: string): string {
  const document = JSON.parse(text) as OpenApi;
  const methods = operationsOf(document).map((one) => methodOf(document, one));
  return `${GENERATED}
import type { RequestOptions } from '../options.ts';
import type { PageResult } from '../pages.ts';
import { Requests } from '../requests.ts';
import type { Result } from '../result.ts';
import type * as api from './types.ts';

/** The operations of the API, a method each. */
export abstract class Operations extends Requests {
${methods.join('\n\n')}
}
`;
}

interface Located {
  method: string;
  path: string;
  operation: Operation;
}

function operationsOf({ paths }: OpenApi): Located[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
}

function methodOf(document: OpenApi, { method, path, operation }: Located): string {
  const { kind, type } = resultOf(document, operation);
  const name = operation.operationId;
  const parameters = ownParameters(operation);
  const isMedia = kind === 'media';
  const hasBody = operation.requestBody !== undefined;
  const settings = {
    name,
    path: isMedia ? undefined : path,
    reserved: isMedia ? undefined : reservedIn(path, Object.keys(document.paths)),
    method: method === 'GET' ? undefined : method,
    body: hasBody ? bodyKind(operation) : undefined,
    query: hasBody ? namesIn(parameters, 'query') : undefined,
    isPublic: operation.security?.some((one) => 'clientCredentials' in one) ? undefined : true,
    isWrite: operation.parameters?.some((one) => one.name === 'Idempotency-Key') || undefined,
  };
  const given = Object.entries(settings)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  const input = isMedia
    ? 'input: { url: string }, '
    : hasInput(operation)
      ? `input: api.${inputName(operation)}${needsInput(operation) ? '' : ' = {}'}, `
      : '';
  const comment = docComment(
    `${operation.summary}.\n\n${operation.description ?? ''}`.trim(),
    operation.deprecated,
  );
  return `${comment}${name}(${input}options?: RequestOptions): ${type} {
  return this.${kind}({ ${given.join(', ')} }, ${input === '' ? '{}' : 'input'}, options);
}`;
}

/** The kind of an operation's result, and its type. */
function resultOf(document: OpenApi, operation: Operation): { kind: Kind; type: string } {
  const [status, response] = Object.entries(operation.responses).find(([one]) =>
    one.startsWith('2'),
  )!;
  const [mediaType, { schema }] = Object.entries(response.content ?? {})[0] ?? [status, {}];
  if (
    operation.tags.includes('Media') ||
    (operation.security?.length === 0 && operation.operationId.startsWith('stream'))
  ) {
    return { kind: 'media', type: 'Promise<Response>' };
  }
  if (mediaType === 'application/x-ndjson') {
    return { kind: 'lines', type: 'AsyncGenerator<string, void, undefined>' };
  }
  if (mediaType === 'application/pdf') return { kind: 'bytes', type: 'Result<Uint8Array>' };
  if (mediaType !== 'application/json') return { kind: 'text', type: 'Result<string>' };
  const data = resolved(schema ?? {}, document).properties?.data;
  if (data === undefined) return { kind: 'document', type: `Result<${inApi(schema!)}>` };
  const page = resolved(data, document);
  const items = page.properties?.items?.items;
  return page.properties?.currentPage !== undefined && items !== undefined
    ? { kind: 'page', type: `PageResult<${inApi(data)}, ${inApi(items)}>` }
    : { kind: 'data', type: `Result<${inApi(data)}>` };
}

/** A type as operations.ts writes it. Only named schemas have one. */
function inApi(schema: Schema): string {
  if (schema.$ref !== undefined) return `api.${typeOf(schema)}`;
  if (schema.type === 'object' && schema.properties === undefined) return 'Record<string, never>';
  throw new Error(`a result needs a name: ${JSON.stringify(schema).slice(0, 200)}`);
}

function inputOf(operation: Operation): string[] {
  if (!hasInput(operation) || operation.tags.includes('Media')) return [];
  const parameters = ownParameters(operation);
  const properties = Object.fromEntries(
    parameters.map(({ name, schema, description }) => [
      inputMember(name),
      { ...(schema.anyOf === undefined ? schema : { anyOf: schema.anyOf }), description },
    ]),
  );
  const required = parameters.filter((one) => one.required).map(({ name }) => inputMember(name));
  const body = jsonBody(operation);
  const own = parameters.length === 0 ? [] : [typeOf({ type: 'object', properties, required })];
  const parts = [...own, ...(body === undefined ? [] : [typeOf(body)])];
  if (bodyKind(operation) === 'form') parts.push('TokenRequest');
  if (bodyKind(operation) === 'file') parts.push('{ file: Blob | Uint8Array }');
  const comment = `/** The input of \`${operation.operationId}\`. */\n`;
  return [`${comment}export type ${inputName(operation)} = ${parts.join(' & ')};`];
}

function inputName({ operationId }: Operation): string {
  return `${operationId[0]!.toUpperCase()}${operationId.slice(1)}Input`;
}

function hasInput(operation: Operation): boolean {
  return ownParameters(operation).length > 0 || operation.requestBody !== undefined;
}

function needsInput(operation: Operation): boolean {
  return (
    operation.requestBody !== undefined || ownParameters(operation).some((one) => one.required)
  );
}

function ownParameters(operation: Operation): Parameter[] {
  return (operation.parameters ?? []).filter(({ name }) => !OPTION_HEADERS.includes(name));
}

/** `If-Match` is the member `ifMatch` of an input. */
function inputMember(name: string): string {
  return name === 'If-Match' ? 'ifMatch' : name;
}

function namesIn(parameters: Parameter[], place: Parameter['in']): string[] | undefined {
  const names = parameters.filter((one) => one.in === place).map(({ name }) => name);
  return names.length === 0 ? undefined : names;
}

function jsonBody({ requestBody }: Operation): Schema | undefined {
  return requestBody?.content?.['application/json']?.schema;
}

function bodyKind({ requestBody }: Operation): 'json' | 'form' | 'file' | undefined {
  const types = Object.keys(requestBody?.content ?? {});
  if (types.length === 0) return undefined;
  if (types.includes('application/json')) return 'json';
  return types.includes('application/octet-stream') ? 'file' : 'form';
}

function jsonOf({ content }: NonNullable<Operation['requestBody']>): Schema {
  return content!['application/json']!.schema!;
}

function errorTypes(document: OpenApi): string[] {
  const { type } = document.components.schemas.AnyError!.properties!;
  return [...type!['x-extensible-enum']!].sort().map((word) => `'${word}'`);
}

function resolved(schema: Schema, { components }: OpenApi): Schema {
  return schema.$ref === undefined ? schema : components.schemas[typeOf(schema)]!;
}
