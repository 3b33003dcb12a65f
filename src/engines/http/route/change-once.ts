import { createHash } from 'node:crypto';
import { byOf, type Caller, type WriteContext } from '../../../common/caller.ts';
import { isObject } from '../../../common/text/json.ts';
import type { KeptResponse, KeyClaim } from '../../idempotency/idempotency.ts';
import type { IdempotencyStore } from '../../idempotency/idempotency-store.ts';
import type { InputSource } from '../input/input.ts';
import { bodyText, type RawBody } from '../input/parse-body.ts';
import { successEnvelope } from '../response/envelope.ts';
import { ownHeaders } from '../response/response.ts';
import type { ApiRequest, ApiResponse, ChangeResponse, Route } from './route.ts';

type Change = ApiRequest['change'];

const REPLAYED = { 'Idempotency-Replayed': 'true' };

/**
 * Returns what equal requests have in common: the method, the path and the query as sent, and the value of the body,
 * in which the order of members does not count (docs/contract/idempotency.md#equal-requests).
 */
export function fingerprintOf(method: string, url: string, body: unknown): Buffer {
  const value = JSON.stringify(body, (_, part: unknown) => sorted(part)) ?? '';
  return createHash('sha256').update(`${method} ${url}\n${value}`).digest();
}

export function causeOf(caller: Caller): Omit<WriteContext, 'finish'> {
  const { clientId, mode, seat } = caller;
  const actor = seat === null ? `client:${clientId}` : `seat:${seat.id}`;
  return { actor, by: byOf(caller), clientId, mode };
}

/** The handler of a route that does a request with an `Idempotency-Key` once. */
export class OnceHandler {
  readonly #store: IdempotencyStore;
  readonly #method: string;
  readonly #defaultStatus: number;
  readonly #secretMembers: ReadonlySet<string>;
  readonly #isRepeatable: boolean;
  readonly #reveal: Route['reveal'];

  constructor(route: Route, store: IdempotencyStore | undefined) {
    if (store === undefined) {
      throw new TypeError(`${route.operationId} needs a store for its idempotency keys.`);
    }
    this.#store = store;
    this.#method = route.method;
    this.#defaultStatus = route.success?.statuses?.[0] ?? 200;
    this.#secretMembers = new Set(route.secretMembers);
    this.#isRepeatable = route.isRepeatable === true;
    this.#reveal = route.reveal;
  }

  /**
   * Runs the handler, which makes its changes by the function that it gets, or returns the response to an equal
   * request. Keeps a success in the transaction of the change, and gives the key back after an error. Rejects as
   * `IdempotencyStore.claim` does.
   */
  async handle(
    { request, caller, body }: InputSource,
    key: string,
    handler: (change: Change) => ApiResponse | Promise<ApiResponse>,
  ): Promise<ApiResponse> {
    const { clientId, mode } = caller!;
    const fingerprint = fingerprintOf(this.#method, request.url!, body && sentValueOf(body));
    const claim = await this.#store.claim({ clientId, mode, key, fingerprint });
    if ('status' in claim) {
      return this.#isRepeatable
        ? repeated(await handler(refuseChange))
        : replayOf(await this.#revealed(claim, caller!));
    }
    const keeping = { isKept: false };
    try {
      const response = await handler(this.#changeOnce(claim, caller!, keeping));
      // A handler that had nothing to change.
      if (!keeping.isKept) await this.#store.keep(claim, this.#kept(response).response);
      return response;
    } catch (error) {
      await this.#store.release(claim);
      throw error;
    }
  }

  #changeOnce(claim: KeyClaim, caller: Caller, keeping: { isKept: boolean }): Change {
    return async <Result>(
      write: (context: WriteContext) => Promise<Result>,
      respond: (result: Result) => ChangeResponse,
    ) => {
      let sent: ApiResponse | undefined;
      const result = await write({
        ...causeOf(caller),
        finish: async (made, transaction) => {
          const kept = this.#kept(respond(made as Result));
          sent = kept.sent;
          await this.#store.keep(claim, kept.response, transaction);
        },
      });
      keeping.isKept = sent !== undefined;
      return sent ?? respond(result);
    };
  }

  async #revealed(kept: KeptResponse, caller: Caller): Promise<KeptResponse> {
    if (this.#reveal === undefined) return kept;
    const { data } = JSON.parse(kept.body.toString());
    const whole = await this.#reveal(data, caller).catch(() => data);
    return { ...kept, body: successEnvelope(whole) };
  }

  /** Returns the response as it is sent, and as it is kept: equal bytes, unless it has secrets. */
  #kept(made: ApiResponse): { sent: ApiResponse; response: KeptResponse } {
    if (this.#isRepeatable) {
      const status = made.status ?? this.#defaultStatus;
      return { sent: made, response: { status, headers: {}, body: Buffer.alloc(0) } };
    }
    if (!('data' in made)) throw new TypeError('Only a response with data can be kept for a key.');
    const { data, ...rest } = made;
    const shown = Object.entries(data).filter(([name]) => !this.#secretMembers.has(name));
    const hasSecrets = shown.length < Object.keys(data).length;
    const body = successEnvelope(hasSecrets ? Object.fromEntries(shown) : data);
    return {
      sent: hasSecrets ? made : { ...rest, envelope: body },
      response: {
        status: made.status ?? this.#defaultStatus,
        headers: { ...ownHeaders(made) },
        body,
      },
    };
  }
}

const refuseChange: Change = () => {
  throw new TypeError('A request that is handled again must change nothing.');
};

function repeated(response: ApiResponse): ApiResponse {
  return { ...response, headers: { ...response.headers, ...REPLAYED } };
}

function replayOf({ status, headers, body }: KeptResponse): ApiResponse {
  return { status, headers: { ...headers, ...REPLAYED }, envelope: body };
}

/** Returns the value of a valid body without the defaults of the schema, which another release may change. */
function sentValueOf({ type, bytes }: RawBody): unknown {
  const text = bodyText(bytes, [])!;
  return type === 'application/json' ? JSON.parse(text) : text;
}

/** Returns an object with its members in alphabetical order; any other value as it is. */
function sorted(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
