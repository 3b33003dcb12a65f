import type { AnySchema, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { RawResponse } from './http.ts';

/** The parts of the OpenAPI document that the tests read. */
export interface OpenApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: object; responses: object; headers: object };
}

interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  parameters?: { name: string; in: 'path' | 'query'; schema: { type?: string } }[];
  requestBody?: { content?: Record<string, unknown> };
  responses: Record<string, object>;
  security: Record<string, string[]>[];
}

/** An operation with its method and path. */
export interface Located extends Operation {
  method: string;
  path: string;
}

interface SchemaPart {
  $ref?: string;
  properties?: Record<string, SchemaPart>;
  'x-extensible-enum'?: string[];
}

interface ResponseObject {
  headers?: Record<string, { $ref: string }>;
  content?: Record<string, { schema?: SchemaPart }>;
}

/** Headers of HTTP, of caching and of browser rules, which the document does not declare. */
const UNDECLARED =
  /^(date|connection|keep-alive|content-type|content-length|content-encoding|transfer-encoding|vary|cache-control|pragma|location|allow|etag|last-modified|accept-ranges|content-disposition|access-control-.*|cross-origin-.*|x-content-type-options|referrer-policy|x-robots-tag|content-security-policy|strict-transport-security)$/;

const METERED = [
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'ratelimit-policy',
  'ratelimit',
];

const contracts = new Map<string, Contract>();

/**
 * Returns the contract of a document of the server at this address. Servers of a process share it, because compiling the
 * schemas takes longer than most tests.
 */
export function contractOf(document: string, address: string): Contract {
  const shared = document.replaceAll(address, 'http://127.0.0.1');
  let contract = contracts.get(shared);
  if (contract === undefined) {
    contract = new Contract(JSON.parse(shared) as OpenApiDocument);
    contracts.set(shared, contract);
  }
  return contract;
}

/**
 * Compares responses with the OpenAPI document, more strictly than a client: an undeclared status, header or member is
 * a failure, too.
 */
export class Contract {
  readonly #document: OpenApiDocument;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });
  readonly #validators = new Map<string, ValidateFunction>();
  readonly #operations = new Map<string, Located>();

  constructor(document: OpenApiDocument) {
    this.#document = document;
    addFormats.default(this.#ajv);
    this.#ajv.addSchema({ ...(closed(document) as object), $id: 'openapi' } as AnySchema);
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        this.#operations.set(operation.operationId, {
          ...operation,
          method: method.toUpperCase(),
          path,
        });
      }
    }
  }

  operations(): Located[] {
    return [...this.#operations.values()];
  }

  operation(operationId: string): Located {
    const operation = this.#operations.get(operationId);
    if (operation === undefined) {
      throw new Error(`the document has no operation ${operationId}`);
    }
    return operation;
  }

  /** The statuses of the errors that an operation declares. */
  declaredStatuses(operationId: string): number[] {
    return Object.keys(this.operation(operationId).responses)
      .map(Number)
      .filter((status) => status >= 400);
  }

  /**
   * The kinds of error that an operation declares, each with its status. A response in the format of OAuth has no kind.
   */
  declaredErrors(operationId: string): { status: number; kind: string }[] {
    return this.declaredStatuses(operationId).flatMap((status) => {
      const { response } = this.#response(operationId, String(status));
      const envelope = this.#resolved(response.content?.['application/json']?.schema);
      const error = this.#resolved(envelope.properties?.error);
      const kinds = error.properties?.type?.['x-extensible-enum'] ?? [];
      return kinds.map((kind) => ({ status, kind }));
    });
  }

  #resolved(schema: SchemaPart = {}): SchemaPart {
    return schema.$ref === undefined ? schema : (this.#at(schema.$ref.slice(1)) as SchemaPart);
  }

  /** Throws an error that lists all problems of the response. */
  check(operationId: string, received: RawResponse): void {
    const { response, pointer } = this.#response(operationId, String(received.status));
    const problems = [
      ...this.#headerProblems(operationId, response, received),
      ...this.#bodyProblems(response, pointer, received),
    ];
    if (problems.length > 0) {
      throw new Error(
        `${operationId} ${received.status} does not match the document:\n  ${problems.join('\n  ')}\n${received.body.toString('utf8').slice(0, 500)}`,
      );
    }
  }

  /** Returns what is wrong with a message to a webhook; its type must be in the document. */
  messageProblems(message: { type: string }): unknown[] {
    const validate = this.#validator(
      `#/webhooks/${escaped(message.type)}/post/requestBody/content/${escaped('application/json')}/schema`,
    );
    return validate(message) ? [] : validate.errors!;
  }

  #response(operationId: string, status: string) {
    const { method, path, responses } = this.operation(operationId);
    const declared = responses[status] as { $ref?: string } | undefined;
    if (declared === undefined) {
      throw new Error(`${operationId} responded with ${status}, which it does not declare`);
    }
    const pointer =
      declared.$ref?.slice(1) ??
      `/paths/${escaped(path)}/${method.toLowerCase()}/responses/${status}`;
    return { response: this.#at(pointer) as ResponseObject, pointer };
  }

  #headerProblems(operationId: string, response: ResponseObject, received: RawResponse): string[] {
    const problems: string[] = [];
    const declared = new Set<string>();
    for (const [name, { $ref }] of Object.entries(response.headers ?? {})) {
      declared.add(name.toLowerCase());
      const value = received.headers[name.toLowerCase()];
      const header = this.#at($ref.slice(1)) as { required: boolean; schema: { type: string } };
      if (value === undefined) {
        if (header.required) {
          problems.push(`the header ${name} is missing`);
        }
      } else if (!this.#validator(`${$ref}/schema`)(typed(String(value), header.schema.type))) {
        problems.push(`the header ${name} is ${String(value)}`);
      }
    }
    for (const name of Object.keys(received.headers)) {
      if (!declared.has(name) && !UNDECLARED.test(name)) {
        problems.push(`the header ${name} is not declared`);
      }
    }
    const isPublic = this.operation(operationId).security.every((way) => !('bearerToken' in way));
    if (!isPublic && received.status < 500 && ![401, 406].includes(received.status)) {
      for (const name of METERED) {
        if (received.headers[name] === undefined) {
          problems.push(`the header ${name} is missing from an authenticated response`);
        }
      }
    }
    return problems;
  }

  #bodyProblems(response: ResponseObject, pointer: string, received: RawResponse): string[] {
    const contentType = String(received.headers['content-type'] ?? '');
    if (response.content === undefined) {
      return received.body.length === 0 ? [] : ['there is a body, although none is declared'];
    }
    const media = Object.keys(response.content).find((type) =>
      contentType.startsWith(type.replace(/\*.*/, '')),
    );
    if (media === undefined) {
      return [`the content type ${contentType} is not declared`];
    }
    if (response.content[media]!.schema === undefined) {
      return [];
    }
    if (contentType !== 'application/json; charset=utf-8') {
      return [`the content type is ${contentType}`];
    }
    const validate = this.#validator(`#${pointer}/content/${escaped(media)}/schema`);
    if (validate(JSON.parse(received.body.toString('utf8')))) {
      return [];
    }
    return validate.errors!.map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  }

  #at(pointer: string): unknown {
    return pointer
      .slice(1)
      .split('/')
      .reduce<unknown>(
        (node, key) =>
          (node as Record<string, unknown>)[key.replaceAll('~1', '/').replaceAll('~0', '~')],
        this.#document,
      );
  }

  #validator(ref: string): ValidateFunction {
    let validator = this.#validators.get(ref);
    if (validator === undefined) {
      // In a URI fragment, the braces of a path template are percent-encoded.
      validator = this.#ajv.compile({ $ref: `openapi${encodeURI(ref)}` });
      this.#validators.set(ref, validator);
    }
    return validator;
  }
}

/** `/v1/tracks` as one segment of a JSON pointer. */
function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function typed(value: string, type: string): unknown {
  return type === 'integer' && /^\d+$/.test(value) ? Number(value) : value;
}

/**
 * The document, with every object that declares members and every enumeration closed, so that an undeclared member or
 * word is a failure.
 */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) {
    return node.map(closed);
  }
  if (typeof node !== 'object' || node === null) {
    return node;
  }
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closed(value)]));
  const words = copy['x-extensible-enum'];
  if (Array.isArray(words)) {
    return { ...copy, enum: Array.isArray(copy.type) ? [...words, null] : words };
  }
  const isObjectSchema = copy.type === 'object' && typeof copy.properties === 'object';
  return isObjectSchema && copy.additionalProperties === undefined
    ? { ...copy, additionalProperties: false }
    : copy;
}
