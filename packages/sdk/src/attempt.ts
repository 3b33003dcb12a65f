import { StaveApiError, StaveConnectionError } from './errors.ts';
import type { Attempt, RequestOptions, StaveOptions } from './options.ts';
import type { PreparedRequest } from './request.ts';
import type { Answer } from './result.ts';
import { TimeLimit } from './time-limit.ts';

/** Reads the body of a response. Whoever reads it later clears the time limit, or restarts it for each part. */
export type Read<T> = (response: Response, limit: TimeLimit) => T | Promise<T>;

/**
 * Sends a request once. Rejects with a StaveApiError, a StaveConnectionError or the reason of the signal, and calls the
 * hooks.
 */
export async function sendOnce<T>(
  request: PreparedRequest,
  token: string | undefined,
  attempt: Attempt,
  options: StaveOptions & RequestOptions,
  read: Read<T>,
): Promise<Answer<T>> {
  const { hooks } = options;
  const start = performance.now();
  const report = (response?: { status: number; headers: Headers }, error?: unknown) => {
    const header = (name: string) => response?.headers.get(name) ?? null;
    const remaining = header('ratelimit-remaining');
    callHook(() =>
      hooks?.onResponse?.({
        ...attempt,
        durationMs: performance.now() - start,
        status: response?.status ?? null,
        requestId: header('x-request-id'),
        rateLimitRemaining: remaining === null ? null : Number(remaining),
        error,
      }),
    );
  };
  callHook(() => hooks?.onRequest?.(attempt));
  try {
    const answer = await exchange(request, token, options, read);
    report(answer.response);
    return answer;
  } catch (error) {
    report(error instanceof StaveApiError ? error : undefined, error);
    throw error;
  }
}

/** Calls a function of the application, which may be async. What it throws must not change the request. */
export function callHook(hook: () => void): void {
  new Promise<void>((resolve) => resolve(hook())).catch(() => {});
}

async function exchange<T>(
  { url, ...init }: PreparedRequest,
  token: string | undefined,
  { signal, timeoutMs = 30_000, fetch: send = fetch }: StaveOptions & RequestOptions,
  read: Read<T>,
): Promise<Answer<T>> {
  const limit = new TimeLimit(timeoutMs);
  const signals = signal === undefined ? [limit.signal] : [limit.signal, signal];
  if (token !== undefined) init.headers.authorization = `Bearer ${token}`;
  try {
    // A redirection of a write would send its body, such as a client secret, to another address.
    const redirect = init.method === 'GET' ? 'follow' : 'manual';
    const response = await send(url, { ...init, redirect, signal: AbortSignal.any(signals) });
    if (!response.ok) throw new StaveApiError(response, await response.text());
    const { status, headers } = response;
    return {
      data: await read(response, limit),
      response: {
        status,
        headers,
        requestId: headers.get('x-request-id'),
        etag: headers.get('etag'),
      },
    };
  } catch (error) {
    limit.clear();
    throw translated(error, limit, signal);
  }
}

/** The error of a request for the error of `fetch` or of a body. */
export function translated(
  error: unknown,
  limit: TimeLimit,
  signal: AbortSignal | undefined,
): unknown {
  if (error instanceof StaveApiError) return error;
  if (signal?.aborted) return signal.reason;
  if (limit.signal.aborted) return limit.signal.reason;
  const text = 'The service cannot be reached, or the connection broke';
  return new StaveConnectionError(text, { cause: error });
}
