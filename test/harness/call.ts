import type { OutgoingHttpHeaders } from 'node:http';
import type { Contract } from './contract.ts';
import type { HttpCaller, RawResponse } from './http.ts';

const JSON_TYPE = 'application/json';
const FILE = 'application/octet-stream';

/** What a call sends in addition to its method and path. */
export interface CallOptions {
  /** Values for the path's parameters; sent percent-encoded. */
  params?: Record<string, string>;
  /** Lists are joined by commas. A string is sent unchanged as the query string. */
  query?: Record<string, string | number | boolean | readonly string[]> | string;
  /** Sent as JSON, or as the file that the operation takes. A string or a Buffer is sent unchanged. */
  body?: unknown;
  token?: string;
  headers?: OutgoingHttpHeaders;
}

/** A response that matches the OpenAPI document. */
export interface CheckedResponse extends RawResponse {
  /** The parsed envelope, if there is one. */
  // biome-ignore lint/suspicious/noExplicitAny: the OpenAPI document was checked, and tests read any member
  data: any;
  error: {
    code: number;
    type?: string;
    message: string;
    requestId?: string;
    docs?: string;
    details?: { field: string; message: string }[];
  };
}

/** Calls operations by their id, over HTTP, and compares every response with the OpenAPI document. */
export class Call {
  readonly #http: HttpCaller;
  readonly #contract: Contract;

  constructor({ http, contract }: { http: HttpCaller; contract: Contract }) {
    this.#http = http;
    this.#contract = contract;
  }

  async perform(operationId: string, options: CallOptions = {}): Promise<CheckedResponse> {
    const { method, path, requestBody } = this.#contract.operation(operationId);
    const { params = {}, query, body, token, headers = {} } = options;
    const url = path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(params[name] ?? 'none'),
    );
    const takesFile = requestBody?.content?.[FILE] !== undefined;
    const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
    const response = await this.#http.send(
      method,
      url + queryString(query),
      {
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'Content-Type': takesFile ? FILE : JSON_TYPE }),
        ...headers,
      },
      body === undefined || isRaw ? (body as string | Buffer | undefined) : JSON.stringify(body),
    );
    this.#contract.check(operationId, response);
    const isJson = String(response.headers['content-type']).startsWith('application/json');
    const envelope = isJson ? JSON.parse(response.body.toString('utf8')) : {};
    return { ...response, data: envelope.data, error: envelope.error };
  }
}

function queryString(query: CallOptions['query']): string {
  if (query === undefined) {
    return '';
  }
  if (typeof query === 'string') {
    return `?${query}`;
  }
  const pairs = Object.entries(query).map(([name, value]) => {
    const text = Array.isArray(value)
      ? value.map(encodeURIComponent).join(',')
      : encodeURIComponent(String(value));
    return `${name}=${text}`;
  });
  return `?${pairs.join('&')}`;
}
