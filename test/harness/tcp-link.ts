import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { seededRandom } from '../../src/common/seeded-random.ts';

/** A TCP proxy to a port of this machine, which can fail as a network does. */
export interface TcpLink extends AsyncDisposable {
  port: number;
  /** The number of bytes that have passed, in both directions. */
  readonly passed: number;
  /** The number of connections that were opened so far. */
  readonly connections: number;
  /** From now on, drops all bytes without closing a connection, as lost packets do. */
  cut(): void;
  /** Passes bytes again, and resets the connections that are open. */
  mend(): void;
  /** From now on, connects to another port; resets the connections that are open. */
  leadTo(port: number): void;
  /** Changes about one byte in `oneIn`, in both directions; 0 changes none. */
  damage(oneIn: number): void;
  /** Drops all bytes of the connections that are open now, without closing them. New connections work. */
  silence(): void;
  /**
   * Resets the next connection on which the client sends this text: `before` the text has passed, or `after` it has
   * passed and the server has responded. Resolves when the text has come.
   */
  resetAt(text: string, when: 'before' | 'after'): Promise<void>;
  /**
   * Resets the next connection on which the client sends this text, and holds the text back. Resolves then, with a
   * function that passes it to the server, which has not noticed the reset.
   */
  holdAt(text: string): Promise<() => void>;
  /**
   * Changes what the server answers on the next connection on which the client sends this text, by a function that gets
   * the first bytes of the answer.
   */
  alterAnswer(text: string, alter: (answer: Buffer) => void): void;
}

/** Opens a proxy; always dispose of it. */
export async function openLink(firstPort: number): Promise<TcpLink> {
  let toPort = firstPort;
  const sockets = new Set<Socket>();
  const silent = new WeakSet<Socket>();
  let isCut = false;
  let passed = 0;
  let connections = 0;
  let oneIn = 0;
  let trap: { text: string; when: 'before' | 'after'; sprung: () => void } | undefined;
  let hold: { text: string; held: (deliver: () => void) => void } | undefined;
  let alteration: { text: string; alter: (answer: Buffer) => void } | undefined;
  const random = seededRandom('damage');
  const damageFrom = (chunk: Buffer) => (oneIn === 0 ? chunk.length : random.integer(1, 2 * oneIn));
  const server = createServer((from) => {
    connections++;
    const to = connect(toPort, '127.0.0.1');
    let isDoomed = false;
    let isHeld = false;
    let alter: ((answer: Buffer) => void) | undefined;
    for (const [socket, other] of [
      [from, to],
      [to, from],
    ] as const) {
      sockets.add(socket);
      socket.on('data', (chunk) => {
        if (isCut || silent.has(socket)) return;
        if (isDoomed) {
          // The response, which the client never receives.
          from.destroy();
          return;
        }
        if (hold !== undefined && socket === from && chunk.includes(hold.text)) {
          const { held } = hold;
          hold = undefined;
          isHeld = true;
          from.destroy();
          held(() => to.write(chunk));
          return;
        }
        passed += chunk.length;
        if (trap !== undefined && socket === from && chunk.includes(trap.text)) {
          const { when, sprung } = trap;
          trap = undefined;
          sprung();
          if (when === 'before') {
            from.destroy();
            return;
          }
          isDoomed = true;
        }
        if (socket === to) {
          alter?.(chunk);
          alter = undefined;
        } else if (alteration !== undefined && chunk.includes(alteration.text)) {
          alter = alteration.alter;
          alteration = undefined;
        }
        for (let i = damageFrom(chunk); i < chunk.length; i += damageFrom(chunk)) {
          chunk[i]! ^= 1 << random.integer(0, 7);
        }
        other.write(chunk);
      });
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        if (!isCut && !isHeld && !silent.has(socket)) other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const resetAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    get passed() {
      return passed;
    },
    get connections() {
      return connections;
    },
    cut() {
      isCut = true;
    },
    mend() {
      isCut = false;
      resetAll();
    },
    leadTo(port) {
      toPort = port;
      resetAll();
    },
    damage(bytes) {
      oneIn = bytes;
    },
    silence() {
      for (const socket of sockets) silent.add(socket);
    },
    resetAt: (text, when) =>
      new Promise((sprung) => {
        trap = { text, when, sprung };
      }),
    holdAt: (text) =>
      new Promise((held) => {
        hold = { text, held };
      }),
    alterAnswer(text, alter) {
      alteration = { text, alter };
    },
    async [Symbol.asyncDispose]() {
      server.close();
      resetAll();
    },
  };
}
