import type { IncomingMessage } from 'node:http';
import type { TrustedProxies } from '../../../engines/http/connection/trusted-proxies.ts';
import { normalName } from '../../../features/access/operator.ts';

/** Finds the operator whom a proxy has signed in. */
export class ProxySignIn {
  readonly #header: string | null;
  readonly #proxies: TrustedProxies;

  /** @param header in lower case; null: no proxy signs operators in */
  constructor(header: string | null, proxies: TrustedProxies) {
    this.#header = header;
    this.#proxies = proxies;
  }

  /** Returns the name that a trusted proxy gives; undefined if none does. It need not be that of an operator. */
  nameIn({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): string | undefined {
    if (this.#header === null || !this.#proxies.isProxy(socket)) return undefined;
    const given = headers[this.#header];
    // Node reads the bytes of a header as Latin-1.
    const text = Buffer.from(String(given ?? ''), 'latin1')
      .toString()
      .trim();
    return text === '' ? undefined : normalName(text);
  }
}
