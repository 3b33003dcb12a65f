import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Caller, type Credentials, openCaller } from './caller.ts';

const MOST_CALLERS = 100;
/** How long scopes and tokens are remembered. The service checks both at each call anyway. */
const REMEMBERED_MS = 60_000;

/** The callers by their `Authorization` header, of which only a hash is kept. */
export class HttpCallers {
  readonly #url: string;
  readonly #callers = new LRUCache<string, Promise<Caller>>({
    max: MOST_CALLERS,
    ttl: REMEMBERED_MS,
  });

  /** @param url the address of the service */
  constructor(url: string) {
    this.#url = url;
  }

  /**
   * Returns the caller of a request; undefined if the header has no credentials. Rejects with a StaveError if the
   * service refuses them or cannot be reached.
   */
  async of(authorization: string | undefined): Promise<Caller | undefined> {
    const credentials = credentialsIn(authorization ?? '');
    if (credentials === undefined) return undefined;
    const key = createHash('sha256').update(authorization!).digest('base64');
    const known = this.#callers.get(key) ?? openCaller(this.#url, credentials);
    this.#callers.set(key, known, { noUpdateTTL: true });
    try {
      return await known;
    } catch (error) {
      this.#callers.delete(key);
      throw error;
    }
  }
}

/** Reads HTTP Basic of a client id and its secret (RFC 7617), or an access token (RFC 6750). */
function credentialsIn(authorization: string): Credentials | undefined {
  const [, scheme = '', value = ''] = /^(basic|bearer) +([!-~]+) *$/i.exec(authorization) ?? [];
  if (scheme.toLowerCase() === 'bearer') {
    const token = { access_token: value, token_type: 'Bearer', expires_in: 3_600 } as const;
    return { getAccessToken: async () => ({ ...token, scope: '', mode: 'test' }) };
  }
  const [, clientId, clientSecret] =
    /^([!-9;-~]+):([!-~]+)$/.exec(Buffer.from(value, 'base64').toString('latin1')) ?? [];
  return clientId && clientSecret ? { clientId, clientSecret } : undefined;
}
