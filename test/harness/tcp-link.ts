import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A network link to a port of this machine, which can fail as real ones do. */
export interface TcpLink extends AsyncDisposable {
  port: number;
  /** From now on nothing passes, and nobody is told: packets are lost. */
  cut(): void;
  /** Everything passes again; what was open while it was cut is reset. */
  mend(): void;
}

/** Opens a link; always dispose of it. */
export async function openLink(toPort: number): Promise<TcpLink> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((from) => {
    const to = connect(toPort, '127.0.0.1');
    for (const [socket, other] of [
      [from, to],
      [to, from],
    ] as const) {
      sockets.add(socket);
      socket.on('data', (chunk) => {
        if (!isCut) other.write(chunk);
      });
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        if (!isCut) other.destroy();
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
    cut() {
      isCut = true;
    },
    mend() {
      isCut = false;
      resetAll();
    },
    async [Symbol.asyncDispose]() {
      server.close();
      resetAll();
    },
  };
}
