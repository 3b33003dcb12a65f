import type { FieldProblem } from '../kernel/errors.ts';
import { hasBody, MAX_BODY_BYTES, readBody } from './body.ts';
import { invalidRequest } from './errors.ts';
import type { Exchange } from './exchange.ts';
import { parseForm } from './form-body.ts';
import { bodyText, parseJson } from './json-body.ts';
import { type BodyType, bodyTypeOf } from './media-type.ts';
import { BODY } from './problems.ts';
import { ParameterReader } from './query.ts';
import type { ApiRequest, Route } from './route.ts';
import { type Check, compileCheck } from './schema-check.ts';

/** What of a request its schemas describe. */
export type Input = Pick<ApiRequest, 'query' | 'params' | 'body'>;

/** A body as it came. */
export interface RawBody {
  type: BodyType;
  bytes: Buffer;
}

type PathTexts = Readonly<Record<string, string>>;

/** Reads and validates what a route takes in; its schemas are compiled once, at the start. */
export class InputReader {
  readonly #query: ParameterReader | undefined;
  readonly #params: ParameterReader | undefined;
  readonly #body: { check: Check; accepted: readonly BodyType[] } | undefined;

  constructor({ query, params, body, consumes }: Route) {
    this.#query = query && new ParameterReader(query);
    this.#params = params && new ParameterReader(params);
    this.#body = body && { check: compileCheck(body), accepted: consumes ?? ['application/json'] };
  }

  /**
   * Throws or rejects with unsupported_media_type and payload_too_large. Undefined, at once, where
   * the route takes no body.
   */
  readBody(exchange: Exchange): Promise<RawBody> | undefined {
    if (this.#body === undefined) {
      return undefined;
    }
    const { headers } = exchange.request;
    // An absent body is invalid, whatever its type would have been.
    const type =
      hasBody(exchange) || headers['content-type'] !== undefined
        ? bodyTypeOf(headers['content-type'], headers['content-encoding'], this.#body.accepted)
        : 'application/json';
    return readBody(exchange, MAX_BODY_BYTES).then((bytes) => ({ type, bytes }));
  }

  /** Throws one invalid_request that holds all problems. */
  parse({ request }: Exchange, pathTexts: PathTexts, raw: RawBody | undefined): Input {
    const url = request.url!;
    const mark = url.indexOf('?');
    const problems: FieldProblem[] = [];
    const body = raw && parseBody(raw, this.#body!.check, problems);
    const params = this.#params?.path(pathTexts, problems);
    const query = this.#query?.query(mark < 0 ? '' : url.slice(mark + 1), problems);
    if (problems.length > 0) {
      throw invalidRequest(problems);
    }
    return { query, params, body };
  }
}

function parseBody({ type, bytes }: RawBody, check: Check, problems: FieldProblem[]): unknown {
  const text = bodyText(bytes, problems);
  if (text === undefined) {
    return undefined;
  }
  const before = problems.length;
  const value = type === 'application/json' ? parseJson(text, problems) : parseForm(text, problems);
  if (problems.length === before) {
    check(value, BODY, problems);
  }
  return value;
}
