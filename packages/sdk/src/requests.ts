import { pause, untilAborted } from './abort.ts';
import { AccessTokens } from './access-tokens.ts';
import { callHook, type Read, sendOnce } from './attempt.ts';
import { StaveApiError } from './errors.ts';
import type { AccessToken } from './generated/types.ts';
import { linesOf } from './lines.ts';
import type { RequestOptions, StaveOptions } from './options.ts';
import { type Page, PageResult } from './pages.ts';
import { type OperationSettings, requestOf } from './request.ts';
import { type Answer, Result } from './result.ts';
import { delayAfter } from './retries.ts';
import { TimeLimit } from './time-limit.ts';

const TOKEN = {
  name: 'createToken',
  path: '/v1/auth/token',
  method: 'POST',
  body: 'json',
  isPublic: true,
} as const;

/** Sends requests with a token, repeats what fails for a time, and reads the responses. */
export abstract class Requests {
  readonly #options: StaveOptions;
  readonly #baseUrl: string;
  readonly #tokens: AccessTokens;
  /** How long a request may take by default. */
  protected readonly timeoutMs: number;

  /** Throws a TypeError if the address or the credentials are missing. */
  constructor(options: StaveOptions) {
    const { baseUrl, clientId, clientSecret, getAccessToken, scope, timeoutMs = 30_000 } = options;
    if (getAccessToken === undefined && !(clientId && clientSecret)) {
      throw new TypeError('clientId and clientSecret are needed, or getAccessToken');
    }
    this.#options = options;
    this.timeoutMs = timeoutMs;
    const { origin, pathname } = new URL(baseUrl);
    this.#baseUrl = origin + pathname.replace(/\/+$/, '');
    const credentials = {
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
      scope,
    };
    this.#tokens = new AccessTokens(
      getAccessToken
        ? () => inTime(getAccessToken(), timeoutMs)
        : async () => this.data<AccessToken>(TOKEN, credentials),
    );
  }

  protected data<T>(
    operation: OperationSettings,
    input: object,
    options?: RequestOptions,
  ): Result<T> {
    return this.#result<T>(operation, input, options, async (response) => {
      const { data } = (await response.json()) as { data: T };
      return data;
    });
  }

  protected document<T>(
    operation: OperationSettings,
    input: object,
    options?: RequestOptions,
  ): Result<T> {
    return this.#result<T>(operation, input, options, (response) => response.json() as Promise<T>);
  }

  protected page<P extends Page<Item>, Item>(
    operation: OperationSettings,
    input: object,
    options?: RequestOptions,
  ): PageResult<P, Item> {
    const first = this.data<P>(operation, input, options);
    return new PageResult(first.withResponse(), (page) =>
      this.data<P>(operation, { ...input, page }, options),
    );
  }

  protected text(
    operation: OperationSettings,
    input: object,
    options?: RequestOptions,
  ): Result<string> {
    return this.#result(operation, input, options, (response) => response.text());
  }

  protected bytes(
    operation: OperationSettings,
    input: object,
    options?: RequestOptions,
  ): Result<Uint8Array> {
    return this.#result(operation, input, options, async (response) => {
      return new Uint8Array(await response.arrayBuffer());
    });
  }

  /** A response whose body the caller reads, without a time limit. */
  protected async media(
    operation: OperationSettings,
    input: object,
    options?: RequestOptions,
  ): Promise<Response> {
    const { data } = await this.#send(operation, input, options, (response, limit) => {
      limit.clear();
      return response;
    });
    return data;
  }

  /** The lines of a body as they arrive. Each part of it must arrive in time. */
  protected async *lines(
    operation: OperationSettings,
    input: object,
    options?: RequestOptions,
  ): AsyncGenerator<string, void, undefined> {
    const { data } = await this.#send(operation, input, options, (response, limit) =>
      linesOf(response, limit, options?.signal),
    );
    yield* data;
  }

  #result<T>(
    operation: OperationSettings,
    input: object,
    options: RequestOptions | undefined,
    read: Read<T>,
  ): Result<T> {
    return new Result(
      this.#send(operation, input, options, async (response, limit) => {
        try {
          return await read(response, limit);
        } finally {
          limit.clear();
        }
      }),
    );
  }

  async #send<T>(
    operation: OperationSettings,
    input: object,
    ownOptions: RequestOptions | undefined,
    read: Read<T>,
  ): Promise<Answer<T>> {
    const options = { ...this.#options, ...withValue(ownOptions) };
    const { maxRetries = 4, longestWaitMs = 60_000, hooks, signal } = options;
    const request = requestOf(this.#baseUrl, operation, { ...input }, options);
    let refused: { token: string; error: unknown } | undefined;
    for (let failures = 0; ; ) {
      const token = operation.isPublic ? undefined : await this.#tokens.get(signal);
      if (refused !== undefined && token === refused.token) throw refused.error;
      const { method } = request;
      // The query of a media URL is its signature.
      const url = operation.path === undefined ? request.url.replace(/\?.*/, '') : request.url;
      const attempt = { operation: operation.name, method, url, attempt: failures + 1 };
      try {
        return await sendOnce(request, token, attempt, options, read);
      } catch (error) {
        if (token !== undefined && refused === undefined && isRefusal(error)) {
          // The token has ended early. The request for the next one shows whether the credentials are valid.
          refused = { token, error };
          this.#tokens.forget(token);
          continue;
        }
        const delayMs = failures < maxRetries ? delayAfter(error, failures, longestWaitMs) : null;
        if (delayMs === null) throw error;
        callHook(() => hooks?.onRetry?.({ ...attempt, error, delayMs }));
        await pause(delayMs, signal);
        failures++;
      }
    }
  }
}

/** Limits the time of what the application does, which others wait for. */
function inTime<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  const limit = new TimeLimit(milliseconds);
  return untilAborted(work, limit.signal).finally(() => limit.clear());
}

/** The options that replace those of the client. */
function withValue(options: RequestOptions = {}): RequestOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function isRefusal(error: unknown): boolean {
  return error instanceof StaveApiError && error.type === 'invalid_token';
}
