import { asBuffer } from '../../../common/threads/calls.ts';
import type { IdempotencyStore } from '../../idempotency/idempotency-store.ts';
import { InputReader } from '../input/input.ts';
import { successEnvelope } from '../response/envelope.ts';
import { causeOf, OnceHandler } from './change-once.ts';
import type { RequestContext } from './request-context.ts';
import type {
  ApiRequest,
  ApiResponse,
  ChangeResponse,
  LoggedFields,
  Route,
  SentRequest,
  SentResponse,
} from './route.ts';

/** Has a request handled by `Route.apart`. */
export async function handleApart(
  apart: NonNullable<Route['apart']>,
  context: RequestContext,
  now: number,
): Promise<ApiResponse> {
  const { request, requestId, caller, body, statedNow } = context;
  const { method, url, headers } = request;
  const sent = { request: { method, url, headers }, requestId, caller, body, statedNow, now };
  const { envelope, noted, ...response } = await apart(sent);
  context.noted = noted;
  return { ...response, envelope: asBuffer(envelope) };
}

/** Handles the requests to an idempotent route that its `apart` has sent, as `RoutePipeline` does in the serving thread. */
export class ApartHandler {
  readonly #route: Route;
  readonly #reader: InputReader;
  readonly #once: OnceHandler;

  constructor(route: Route, idempotency: IdempotencyStore) {
    this.#route = route;
    this.#reader = new InputReader(route);
    this.#once = new OnceHandler(route, idempotency);
  }

  /** Rejects with the error of the response. */
  async handle(sent: SentRequest): Promise<SentResponse> {
    const { request, requestId, caller, statedNow } = sent;
    const { headers, method, url } = request;
    const body = sent.body && { ...sent.body, bytes: asBuffer(sent.body.bytes) };
    const source = { request, caller, body };
    const now = statedNow ?? sent.now;
    const { idempotencyKey, ...input } = await this.#reader.parse(source, {}, now);
    let noted: LoggedFields | undefined;
    const run = async (change: ApiRequest['change']) =>
      (await this.#route.handle({
        ...input,
        ...{ caller, headers, requestId, now, statedNow, method: method!, rawUrl: url!, change },
        ...ONLY_WHILE_SERVING,
        note: (fields) => {
          noted = fields;
        },
      })) as ChangeResponse;
    const response: ApiResponse =
      idempotencyKey === undefined
        ? await run(async (write, respond) => respond(await write(causeOf(caller!))))
        : await this.#once.handle(source, idempotencyKey, run);
    const { status, headers: own } = response;
    const envelope = 'envelope' in response ? response.envelope : successEnvelope(dataOf(response));
    return { ...(status && { status }), ...(own && { headers: own }), envelope, noted };
  }
}

function dataOf(response: ApiResponse): object {
  if ('data' in response) return response.data;
  throw new TypeError('Only a response with data can be made in another thread.');
}

function refuse(): never {
  throw new TypeError('Only the serving thread knows the connection of the caller.');
}

/** What a handler in another thread must not use. */
const ONLY_WHILE_SERVING = {
  address: refuse,
  protocol: refuse,
  whenGone: refuse,
  recheckCaller: refuse,
  requireVersion: refuse,
} satisfies Partial<ApiRequest>;
