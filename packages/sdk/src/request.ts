import { StaveError } from './errors.ts';
import type { RequestOptions } from './options.ts';

/** An operation of the API, as operations.ts describes it. */
export interface OperationSettings {
  name: string;
  /** Absent for operations whose URL an earlier response contains. */
  path?: string;
  /** For parameters of the path: the words that the paths of other operations have in their place. */
  reserved?: Record<string, string[]>;
  /** By default `GET`. */
  method?: string;
  /**
   * The form of the body. All of the input that the path and `query` do not name goes into it; a file is the member
   * `file` of the input.
   */
  body?: 'json' | 'form' | 'file';
  /** The members of the input that belong into the query although there is a body. */
  query?: string[];
  /** Without a token. */
  isPublic?: boolean;
  /** With an idempotency key. */
  isWrite?: boolean;
}

export type Input = Record<string, unknown>;

/** A request without its token. */
export interface PreparedRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  body?: string | Blob;
}

/**
 * The request for an operation. Its repetitions are equal, and so is their idempotency key. Throws a StaveError if a
 * value in the path could lead to another operation.
 */
export function requestOf(
  baseUrl: string,
  operation: OperationSettings,
  input: Input,
  options: RequestOptions,
): PreparedRequest {
  const { path, reserved, method = 'GET', body, query, isWrite } = operation;
  const rest = { ...input };
  const take = (name: string) => {
    const value = rest[name];
    delete rest[name];
    return value;
  };
  const headers: Record<string, string> = {};
  const setHeader = (name: string, value: unknown) => {
    if (value !== undefined) headers[name] = String(value);
  };
  setHeader('if-match', take('ifMatch'));
  setHeader('accept-language', options.language);
  setHeader('x-stave-now', options.testTime);
  if (isWrite) setHeader('idempotency-key', options.idempotencyKey ?? randomKey());
  if (path === undefined) return { url: String(take('url')), method, headers };

  const filled = path.replace(/\{(\w+)\}/g, (_, name) =>
    segment(name, take(name), reserved?.[name]),
  );
  const inQuery = body === undefined ? Object.keys(rest) : (query ?? []);
  const parameters = parametersOf(inQuery.map((name) => [name, take(name)]));
  const url = baseUrl + filled + (parameters === '' ? '' : `?${parameters}`);
  if (body === undefined) return { url, method, headers };
  if (body === 'file') {
    headers['content-type'] = 'application/octet-stream';
    return { url, method, headers, body: fileOf(rest.file) };
  }
  headers['content-type'] =
    body === 'json' ? 'application/json' : 'application/x-www-form-urlencoded';
  const sent = body === 'json' ? JSON.stringify(rest) : parametersOf(Object.entries(rest));
  return { url, method, headers, body: sent };
}

function fileOf(file: unknown): Blob {
  if (file instanceof Blob) return file;
  if (file instanceof Uint8Array) return new Blob([file as Uint8Array<ArrayBuffer>]);
  throw new StaveError('file must be a Blob, a File or a Uint8Array');
}

/** `crypto.randomUUID` is absent in pages without TLS. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function segment(name: string, value: unknown, reserved: string[] = []): string {
  const text = String(value ?? '');
  // URL parsers remove these, encoded or not, so that the path would be another one.
  if (['', '.', '..'].includes(text)) throw new StaveError(`${name} is missing, or only dots`);
  // Some proxies decode these before they route. Half of a character has no encoding.
  if (/[/\\%\p{Cs}]/u.test(text)) {
    throw new StaveError(
      `${name} contains a slash, a backslash, a percent sign or half of a character`,
    );
  }
  if (reserved.includes(text.toLowerCase())) {
    throw new StaveError(`${name} must not be "${text}", which is the path of another operation`);
  }
  return encodeURIComponent(text);
}

/** Lists are separated by commas; members without a value are omitted. */
function parametersOf(members: [string, unknown][]): string {
  const given = members.filter(([, value]) => value !== undefined && value !== null);
  const texts = given.map(([name, value]): [string, string] => [name, String(value)]);
  return String(new URLSearchParams(texts));
}
