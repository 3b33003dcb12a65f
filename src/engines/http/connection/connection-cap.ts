import type { Socket } from 'node:net';
import type { TrustedProxies } from './trusted-proxies.ts';

/** Limits the open connections of one address. A connection above the limit is closed at once. */
export class ConnectionCap {
  /** The maximum number of open connections in total. Node's server closes connections above it. */
  readonly inAll: number;
  readonly #ofAddress: number;
  readonly #proxies: TrustedProxies;
  readonly #open = new Map<string, number>();

  constructor(deps: {
    inAll?: number | undefined;
    ofAddress?: number | undefined;
    proxies: TrustedProxies;
  }) {
    this.inAll = deps.inAll ?? Number.POSITIVE_INFINITY;
    this.#ofAddress = deps.ofAddress ?? Number.POSITIVE_INFINITY;
    this.#proxies = deps.proxies;
  }

  /** Counts an accepted connection until it closes. */
  opened(socket: Socket): void {
    const address = this.#proxies.callerOf(socket);
    if (address === undefined) {
      return;
    }
    const open = this.#open.get(address) ?? 0;
    if (open >= this.#ofAddress) {
      socket.destroy();
      return;
    }
    this.#open.set(address, open + 1);
    socket.once('close', () => this.#closed(address));
  }

  #closed(address: string): void {
    const open = this.#open.get(address)! - 1;
    if (open === 0) {
      this.#open.delete(address);
    } else {
      this.#open.set(address, open);
    }
  }
}
