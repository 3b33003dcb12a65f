import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import Type from 'typebox';
import { type FieldProblem, invalidRequest } from '../../../common/errors.ts';
import { isObject } from '../../../common/text/json.ts';
import { missingDay, parseTime } from '../../../common/time.ts';
import { refuseRestrictedInBody } from '../guard/authorize.ts';
import { type Headers, headerOf } from '../response/preconditions.ts';
import type { RequestContext } from '../route/request-context.ts';
import { type ApiRequest, type BodyType, type Route, SERVICE_TAG } from '../route/route.ts';
import { type BodyBudget, BodyReader, MAX_BODY_BYTES, tooLarge } from './body.ts';
import {
  bodyText,
  bodyTypeOf,
  mislabeled,
  parseForm,
  parseJson,
  type RawBody,
} from './parse-body.ts';
import { BODY, isFull, refuse, report } from './problems.ts';
import { ParameterReader } from './query.ts';
import { type Check, compileCheck } from './schema/schema-check.ts';
import type { SchemaNode } from './schema/schema-rules.ts';

/** What the input of a request is parsed from. */
export type InputSource = Pick<RequestContext, 'caller' | 'body'> & {
  request: Pick<IncomingMessage, 'url' | 'headers'>;
};

export interface Input extends Pick<ApiRequest, 'query' | 'params' | 'body'> {
  /** `Idempotency-Key` without quotes, if it was sent; only on routes that declare `idempotent`. */
  idempotencyKey: string | undefined;
}

const NO_MEMBERS = Buffer.from('{}');

/** Reads and validates the input of a route. The schemas are compiled once, at the start. */
export class InputReader {
  readonly #route: Route;
  readonly #query: ParameterReader | undefined;
  readonly #params: ParameterReader | undefined;
  readonly #checkBody: Check | undefined;
  readonly #accepted: readonly BodyType[];

  constructor(route: Route) {
    const { query, params, body, documentedBody, data, tag, consumes, file } = route;
    this.#route = route;
    // Binary routes and the routes of the service itself ignore unknown parameters: their URLs are issued
    // complete, typed by people, or sent by probes
    // (docs/contract/http.md#unknown-parameters-and-members).
    const isChecked = query !== undefined || (data !== undefined && tag !== SERVICE_TAG);
    const { properties = {} } = ((documentedBody ?? body) as SchemaNode | undefined) ?? {};
    this.#query = isChecked
      ? new ParameterReader(query ?? Type.Object({}), Object.keys(properties))
      : undefined;
    this.#params = params && new ParameterReader(params);
    this.#checkBody = body && file === undefined ? compileCheck(body) : undefined;
    this.#accepted = consumes ?? ['application/json'];
  }

  /**
   * Reads the body, and calls `onBody` once, before it returns if the whole body has arrived. The fault is
   * `payload_too_large` as soon as the size is known, `unavailable` if the budget is used up, the parser's error if the
   * body is malformed, and CallerGone. Node reads and discards the rest of the body within the time limit of the request,
   * so that the response reaches a client that is still sending. Throws `unsupported_media_type`. The route must take a
   * body.
   */
  readBody(
    context: RequestContext,
    budget: BodyBudget,
    onBody: (fault: Error | undefined, body?: RawBody, release?: () => void) => void,
  ): void {
    const { headers } = context.request;
    const declaredBytes = Number(headers['content-length'] ?? 0);
    const { emptyBody } = this.#route;
    // By its framing (RFC 9112 §6). An absent body is refused later as invalid, not here for its type.
    const hasBody = headers['transfer-encoding'] !== undefined || declaredBytes !== 0;
    const type =
      hasBody || (headers['content-type'] !== undefined && !emptyBody)
        ? bodyTypeOf(headers['content-type'], headers['content-encoding'], this.#accepted)
        : this.#accepted[0]!;
    const maxBytes = this.#route.maxBodyBytes ?? MAX_BODY_BYTES;
    if (declaredBytes > maxBytes) {
      onBody(tooLarge(maxBytes));
      return;
    }
    if (context.awaitsContinue) {
      context.awaitsContinue = false;
      context.response.writeContinue();
    }
    const reader = new BodyReader(maxBytes, budget, (fault, bytes, release) =>
      onBody(
        fault,
        bytes && { type, bytes: emptyBody && bytes.length === 0 ? NO_MEMBERS : bytes },
        release,
      ),
    );
    context.readBody(reader);
  }

  /**
   * Validates all parts together. Throws one `invalid_request` that lists all problems, or a 403 if the caller may not
   * use a member of the body; or rejects with it.
   *
   * @param now the time of the request
   */
  parse(
    { request, caller, body: raw }: InputSource,
    pathTexts: unknown,
    now: number,
  ): Input | Promise<never> {
    const { idempotent, checkQuery, checkRefused, clientOf } = this.#route;
    const url = request.url!;
    const mark = url.indexOf('?');
    const problems: FieldProblem[] = [];
    const body = raw && this.#parseBody(raw, request.headers, problems);
    refuseRestrictedInBody(this.#route, body, caller);
    const params = this.#params?.path(pathTexts as Record<string, string>, problems);
    const query = this.#query?.query(mark < 0 ? '' : url.slice(mark + 1), problems);
    if (checkQuery !== undefined) {
      addUnknown(problems, checkQuery(query, now));
    }
    const idempotencyKey = idempotent ? idempotencyKeyOf(request.headers, problems) : undefined;
    // The checks of the schemas end when the list is full, so that other values may be of a wrong type.
    if (problems.length > 0 && !isFull(problems) && checkRefused !== undefined && isObject(body)) {
      const valid = validPart(body, problems);
      return checkRefused(valid, { given: body, caller, now }).then((found) => {
        throw invalidRequest(combined(problems, found));
      });
    }
    if (problems.length > 0) {
      throw invalidRequest(problems, clientOf?.(body, request.headers));
    }
    return { query, params, body, idempotencyKey };
  }

  #parseBody(
    { type, bytes }: RawBody,
    headers: IncomingHttpHeaders,
    problems: FieldProblem[],
  ): unknown {
    const { maxBodyMembers, checkBody, file } = this.#route;
    if (file !== undefined) {
      if (bytes.length === 0) report(problems, BODY, 'body is empty; send a file');
      return bytes;
    }
    const text = bodyText(bytes, problems);
    if (text === undefined) {
      return undefined;
    }
    const wrongType = mislabeled(text, type, this.#accepted);
    if (wrongType !== undefined) {
      report(problems, BODY, wrongType);
      return undefined;
    }
    const value =
      type === 'application/json'
        ? parseJson(text, problems, maxBodyMembers)
        : parseForm(text, problems);
    if (value === undefined) {
      return undefined;
    }
    const found: FieldProblem[] = [];
    this.#checkBody!(value, BODY, found);
    if (found.length === 0) {
      found.push(...(checkBody?.(value, headers) ?? []));
    } else if (checkBody !== undefined && !isFull(found) && isObject(value)) {
      // A body without its invalid members may be empty, which says nothing about the one that was sent.
      const others = checkBody(validPart(value, found), headers).filter(
        ({ field }) => field !== BODY,
      );
      addUnknown(found, others);
    }
    addUnknown(problems, found);
    return value;
  }
}

/** Returns a copy of a body without the members and the entries of lists that have problems. */
function validPart(body: object, problems: readonly FieldProblem[]): object {
  const valid = structuredClone(body);
  for (const { field } of problems) {
    const path = field.match(/[^.[\]]+/g) ?? [];
    let part: unknown = valid;
    for (const [i, name] of path.entries()) {
      if (typeof part !== 'object' || part === null || !Object.hasOwn(part, name)) break;
      // An entry is removed as a whole, because the checks take its members for granted; the places of others stay.
      if (Array.isArray(part) || i === path.length - 1) Reflect.deleteProperty(part, name);
      else part = (part as Record<string, unknown>)[name];
    }
  }
  return valid;
}

/** Returns the problems with others; of two of one field, the other one says more. */
function combined(
  problems: readonly FieldProblem[],
  others: readonly FieldProblem[],
): FieldProblem[] {
  const better = new Map(others.map((problem) => [problem.field, problem]));
  const known = problems.map((problem) => better.get(problem.field) ?? problem);
  addUnknown(known, others);
  return known;
}

/** Adds problems of other fields. The value of a repeated one is one of several, and says nothing more. */
function addUnknown(problems: FieldProblem[], found: readonly FieldProblem[]): void {
  const known = new Set(problems.map(({ field }) => field));
  for (const { field, message } of found.filter((problem) => !known.has(problem.field))) {
    report(problems, field, message);
  }
}

/** The content of a string of RFC 9651 §3.3.3, without spaces. */
const QUOTED = /^ *"((?:[\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)" *$/;
/** A key without quotes, as some clients send it. A semicolon would begin the parameters of a string. */
const PLAIN = /^[\x21\x23-\x3a\x3c-\x7e]+$/;
const MAX_LENGTH = 255;

/**
 * Returns the key of a request, without quotes; undefined if there is none. Adds a problem for an invalid
 * one. Node joins repeated headers by a comma and a space, which no key contains.
 */
function idempotencyKeyOf(headers: Headers, problems: FieldProblem[]): string | undefined {
  const value = headerOf(headers, 'idempotency-key');
  if (value === undefined) {
    return undefined;
  }
  const quoted = QUOTED.exec(value)?.[1]?.replace(/\\(["\\])/g, '$1');
  const key = quoted ?? (PLAIN.test(value) ? value : '');
  if (key === '' || key.length > MAX_LENGTH) {
    refuse(
      problems,
      'Idempotency-Key',
      `be one text of 1 to ${MAX_LENGTH} visible ASCII characters`,
    );
    return undefined;
  }
  return key;
}

const STATED_TIME = 'X-Stave-Now';

/**
 * Returns the time that a request with a test token states, in milliseconds since the epoch; undefined if it
 * states none. Throws `invalid_request` for a malformed one (docs/contract/http.md#time-of-a-test-request).
 */
export function statedTime(headers: Headers): number | undefined {
  const value = headerOf(headers, 'x-stave-now');
  if (value === undefined) {
    return undefined;
  }
  const time = parseTime(value);
  if (time === undefined) {
    const day = missingDay(value);
    const rule =
      day === undefined
        ? 'be one time of RFC 3339, such as 2026-11-21T10:40:10.000Z'
        : `name a day that exists; ${day} is no date`;
    const message = `${STATED_TIME} must ${rule}`;
    throw invalidRequest([{ field: STATED_TIME, message }]);
  }
  return time;
}
