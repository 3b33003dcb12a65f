import type { FastifyRequest } from 'fastify';
import { hostNameOf } from '../../../engines/http/guard/host-names.ts';
import { isLoopback } from './hosts.ts';
import { SESSION_MS } from './sessions.ts';

/** The cookies of the console, with their greatest ages in seconds. That of a device is the most that browsers keep. */
const AGES = { console: SESSION_MS / 1_000, device: 400 * 24 * 60 * 60 } as const;

type Name = keyof typeof AGES;

/**
 * Reads and writes the cookies of the console. They have the prefix `__Host-` and `Secure` where browsers keep such
 * cookies: over HTTPS, and on loopback.
 */
export class Cookies {
  readonly #isHttps: boolean;

  /** @param isHttps whether browsers reach the console over HTTPS, perhaps through a proxy */
  constructor({ isHttps }: { isHttps: boolean }) {
    this.#isHttps = isHttps;
  }

  /** Returns the value of a cookie of a request; undefined if it has none. */
  read(request: FastifyRequest, name: Name): string | undefined {
    const start = `${this.#nameFor(request, name)}=`;
    const given = (request.headers.cookie ?? '').split(';').map((part) => part.trim());
    return given.find((part) => part.startsWith(start))?.slice(start.length);
  }

  /** Returns the `Set-Cookie` of the response to a request. An empty value removes the cookie. */
  write(request: FastifyRequest, name: Name, value: string): string {
    const age = value === '' ? 0 : AGES[name];
    const secure = this.#isSecure(request) ? '; Secure' : '';
    return `${this.#nameFor(request, name)}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${age}${secure}`;
  }

  #nameFor(request: FastifyRequest, name: Name): string {
    return `${this.#isSecure(request) ? '__Host-' : ''}stave_${name}`;
  }

  #isSecure({ headers }: FastifyRequest): boolean {
    const host = hostNameOf(headers.host);
    return this.#isHttps || (host !== undefined && isLoopback(host));
  }
}
