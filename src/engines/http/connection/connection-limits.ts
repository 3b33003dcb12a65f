import type { Socket } from 'node:net';
import type { Exchange } from './request-guard.ts';
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

interface Open {
  peer: string;
  /** The address that it counts for; undefined for a trusted proxy. */
  address: string | undefined;
  socket: Socket;
  latest: Exchange | undefined;
}

/**
 * Limits the open connections of a listener with few callers. At a limit, a further connection replaces the one that has
 * been without a new request for the longest time, so that connections that send or read nothing keep nobody out. At the
 * limit in total, it is one of the address with the most connections, so that a caller with one connection keeps it. Strangers
 * never replace an authenticated connection before all others, or while it has an open request; if there is no other, the
 * further connection is closed at once. Takes time in proportion to the limit for each connection.
 */
export class ConnectionReplacement {
  /** `server.maxConnections` closes the newest connections; this class decides itself. */
  readonly inAll = Number.POSITIVE_INFINITY;
  readonly #maxInAll: number;
  readonly #maxOfAddress: number;
  readonly #proxies: TrustedProxies;
  /** By peer, in the order of the latest request, or of the connection before its first one. */
  readonly #open = new Map<string, Open>();

  constructor(deps: { inAll: number; ofAddress: number; proxies: TrustedProxies }) {
    this.#maxInAll = deps.inAll;
    this.#maxOfAddress = deps.ofAddress;
    this.#proxies = deps.proxies;
  }

  /** Counts an accepted connection until it closes. */
  opened(socket: Socket): void {
    const peer = peerOf(socket);
    const address = this.#proxies.callerOf(socket);
    const rivals = this.#rivalsOf(address);
    if (rivals !== undefined) {
      const strangers = rivals.filter(({ latest }) => !latest?.isAuthenticated);
      const replaced =
        ofBusiestAddress(strangers) ?? rivals.find(({ latest }) => latest?.response.closed);
      if (replaced === undefined) {
        socket.destroy();
        return;
      }
      this.#open.delete(replaced.peer);
      replaced.socket.destroy();
    }
    const open = { peer, address, socket, latest: undefined };
    this.#open.set(peer, open);
    socket.once('close', () => {
      if (this.#open.get(peer) === open) this.#open.delete(peer);
    });
  }

  began(exchange: Exchange): void {
    // With TLS, this socket is another object than the accepted one.
    const peer = peerOf(exchange.request.socket);
    const open = this.#open.get(peer);
    if (open === undefined) return;
    open.latest = exchange;
    this.#open.delete(peer);
    this.#open.set(peer, open);
  }

  /** The connections of which one must close before this address may have another; undefined below the limits. */
  #rivalsOf(address: string | undefined): Open[] | undefined {
    const all = [...this.#open.values()];
    const ofAddress = address === undefined ? [] : all.filter((open) => open.address === address);
    if (ofAddress.length >= this.#maxOfAddress) return ofAddress;
    return all.length >= this.#maxInAll ? all : undefined;
  }
}

/** The first connection of the address that has the most; undefined if there is none. */
function ofBusiestAddress(connections: readonly Open[]): Open | undefined {
  const counts = new Map<string | undefined, number>();
  for (const { address } of connections) counts.set(address, (counts.get(address) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return connections.find(({ address }) => counts.get(address) === most);
}

/** Both ends of a connection. */
function peerOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return [remoteAddress, remotePort, localAddress, localPort].join(' ');
}
