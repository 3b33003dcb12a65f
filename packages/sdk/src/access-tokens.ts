import { untilAborted } from './abort.ts';
import type { AccessToken } from './generated/types.ts';

/** The part of its life after which a token is renewed, so that no request carries one that is about to expire. */
const RENEWED_AFTER = 0.9;

/**
 * Keeps one access token. However many requests wait for it, one request asks for the next one. Nobody waits for an
 * early renewal, and if it fails, the next request tries again: the present token serves until it expires.
 */
export class AccessTokens {
  readonly #request: () => Promise<AccessToken>;
  #current = { value: '', renewAt: 0, expiresAt: 0 };
  #pending: Promise<string> | undefined;

  constructor(request: () => Promise<AccessToken>) {
    this.#request = request;
  }

  /** A valid token. Rejects with the reason of the signal if it is aborted. */
  async get(signal?: AbortSignal): Promise<string> {
    signal?.throwIfAborted();
    const now = Date.now();
    const { value, renewAt, expiresAt } = this.#current;
    if (now < renewAt) return value;
    this.#pending ??= this.#renew().finally(() => {
      this.#pending = undefined;
    });
    if (now >= expiresAt) return untilAborted(this.#pending, signal);
    this.#pending.catch(() => {});
    return value;
  }

  /** Forgets a token that the service has refused, unless there is a newer one. */
  forget(value: string): void {
    if (this.#current.value === value) this.#current = { value: '', renewAt: 0, expiresAt: 0 };
  }

  async #renew(): Promise<string> {
    const start = Date.now();
    const { access_token: value, expires_in } = await this.#request();
    this.#current = {
      value,
      renewAt: start + expires_in * 1_000 * RENEWED_AFTER,
      expiresAt: start + expires_in * 1_000,
    };
    return value;
  }
}
