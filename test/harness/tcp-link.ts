import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { seededRandom } from '../../src/common/seeded-random.ts';

/** A network link to a port of this machine, which can fail as real ones do. */
export interface TcpLink extends AsyncDisposable {
  port: number;
  /** How many bytes have passed, in both directions. */
  readonly passed: number;
  /** From now on nothing passes, and nobody is told: packets are lost. */
  cut(): void;
  /** Everything passes again; what was open while it was cut is reset. */
  mend(): void;
  /** From now on it leads to another port; what is open is reset. */
  leadTo(port: number): void;
  /** One byte in about so many is another one, in both directions; 0: none. */
  damage(oneIn: number): void;
  /** Nothing passes on the connections that are open now, and nobody is told; new ones work. */
  silence(): void;
  /**
   * The next connection that the client sends this text on is reset: `before` the text has passed, or
   * `after` it has, and was answered. Resolves once that has happened.
   */
  resetAt(text: string, when: 'before' | 'after'): Promise<void>;
}

/** Opens a link; always dispose of it. */
export async function openLink(firstPort: number): Promise<TcpLink> {
  let toPort = firstPort;
  const sockets = new Set<Socket>();
  const silent = new WeakSet<Socket>();
  let isCut = false;
  let passed = 0;
  let oneIn = 0;
  let trap: { text: string; when: 'before' | 'after'; sprung: () => void } | undefined;
  const random = seededRandom('damage');
  const damageFrom = (chunk: Buffer) => (oneIn === 0 ? chunk.length : random.integer(1, 2 * oneIn));
  const server = createServer((from) => {
    const to = connect(toPort, '127.0.0.1');
    let isDoomed = false;
    for (const [socket, other] of [
      [from, to],
      [to, from],
    ] as const) {
      sockets.add(socket);
      socket.on('data', (chunk) => {
        if (isCut || silent.has(socket)) return;
        if (isDoomed) {
          // The answer, which the client never sees.
          from.destroy();
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
        for (let i = damageFrom(chunk); i < chunk.length; i += damageFrom(chunk)) {
          chunk[i]! ^= 1 << random.integer(0, 7);
        }
        other.write(chunk);
      });
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        if (!isCut && !silent.has(socket)) other.destroy();
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
    async [Symbol.asyncDispose]() {
      server.close();
      resetAll();
    },
  };
}
