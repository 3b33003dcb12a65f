import Type, { type TSchema } from 'typebox';
import type { FieldProblem } from '../common/errors.ts';
import { type BodyBudget, hasBody, MAX_BODY_BYTES, readBody } from './body.ts';
import { mislabeled } from './body-hint.ts';
import { invalidRequest } from './errors.ts';
import { parseForm } from './form-body.ts';
import { bodyText, parseJson } from './json-body.ts';
import { type BodyType, bodyTypeOf, type RawBody } from './media-type.ts';
import { BODY, report } from './problems.ts';
import { ParameterReader } from './query.ts';
import type { RequestContext } from './request-context.ts';
import { type ApiRequest, type Route, SERVICE_TAG } from './route.ts';
import { type Check, compileCheck } from './schema-check.ts';
import type { SchemaNode } from './schema-node.ts';

/** The parts of a request that its schemas describe. */
export type Input = Pick<ApiRequest, 'query' | 'params' | 'body'>;

/** The bodies that a route accepts. */
interface AcceptedBody {
  check: Check;
  accepted: readonly BodyType[];
}

type PathTexts = Readonly<Record<string, string>>;

/** Reads and validates the input of a route. The schemas are compiled once, at the start. */
export class InputReader {
  readonly #query: ParameterReader | undefined;
  readonly #params: ParameterReader | undefined;
  readonly #body: AcceptedBody | undefined;

  constructor({ query, params, body, documentedBody, consumes, data, tag }: Route) {
    // Binary routes and the routes of the service itself ignore unknown parameters: their URLs are issued
    // complete, typed by people, or sent by probes
    // (docs/contract/http.md#unknown-parameters-and-members).
    const isChecked = query !== undefined || (data !== undefined && tag !== SERVICE_TAG);
    this.#query = isChecked
      ? new ParameterReader(query ?? Type.Object({}), membersOf(documentedBody ?? body))
      : undefined;
    this.#params = params && new ParameterReader(params);
    this.#body = body && { check: compileCheck(body), accepted: consumes ?? ['application/json'] };
  }

  /**
   * Reads the body. Returns undefined if the route takes none. Throws `unsupported_media_type`; rejects with
   * `payload_too_large` and `unavailable`.
   */
  readBody(context: RequestContext, budget: BodyBudget): Promise<RawBody> | undefined {
    if (this.#body === undefined) {
      return undefined;
    }
    const { headers } = context.request;
    // An absent body is refused later as invalid, not here for its type.
    const type =
      hasBody(context) || headers['content-type'] !== undefined
        ? bodyTypeOf(headers['content-type'], headers['content-encoding'], this.#body.accepted)
        : this.#body.accepted[0]!;
    return readBody(context, MAX_BODY_BYTES, budget).then((bytes) => ({ type, bytes }));
  }

  /** Validates all parts together. Throws one `invalid_request` that lists all problems. */
  parse({ request }: RequestContext, pathTexts: PathTexts, raw: RawBody | undefined): Input {
    const url = request.url!;
    const mark = url.indexOf('?');
    const problems: FieldProblem[] = [];
    const body = raw && parseBody(raw, this.#body!, problems);
    const params = this.#params?.path(pathTexts, problems);
    const query = this.#query?.query(mark < 0 ? '' : url.slice(mark + 1), problems);
    if (problems.length > 0) {
      throw invalidRequest(problems);
    }
    return { query, params, body };
  }
}

function membersOf(body: TSchema | undefined): string[] {
  return Object.keys((body as SchemaNode | undefined)?.properties ?? {});
}

function parseBody(
  { type, bytes }: RawBody,
  { check, accepted }: AcceptedBody,
  problems: FieldProblem[],
): unknown {
  const text = bodyText(bytes, problems);
  if (text === undefined) {
    return undefined;
  }
  const wrongType = mislabeled(text, type, accepted);
  if (wrongType !== undefined) {
    report(problems, BODY, wrongType);
    return undefined;
  }
  const before = problems.length;
  const value = type === 'application/json' ? parseJson(text, problems) : parseForm(text, problems);
  if (problems.length === before) {
    check(value, BODY, problems);
  }
  return value;
}
