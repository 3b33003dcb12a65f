import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { until } from '../../../test/harness/until.ts';
import { systemClock } from '../../common/clock.ts';
import { Deliverer } from './deliver.ts';
import type { Resolver } from './endpoint-url.ts';

/** A TCP server on loopback that counts its connections and hands each to `serve`. */
export async function listener(serve: (socket: Socket) => void = () => {}) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    serve(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    sockets,
    /** Listens on another address with the same port instead. Returns false if the machine does not have it. */
    async moveTo(address: string): Promise<boolean> {
      await new Promise((resolve) => server.close(resolve));
      server.listen(port, address);
      return once(server, 'listening').then(
        () => true,
        () => false,
      );
    },
    /** The number of connections so far. A connection of its own ensures that no earlier one is still waiting. */
    async connections(): Promise<number> {
      const before = sockets.length;
      const probe = connect(port, '127.0.0.1');
      await once(probe, 'connect');
      await until(() => sockets.some(({ remotePort }) => remotePort === probe.localPort));
      probe.destroy();
      return Math.max(before, sockets.length - 1);
    },
  };
}

/** A listener that answers each request with these bytes. */
export function answering(...parts: readonly (string | Buffer)[]) {
  return listener((socket) => {
    socket.once('data', () => {
      for (const part of parts) socket.write(part);
    });
  });
}

/** A resolver that gives these answers in turn, and the last one from then on. */
export function resolving(...answers: readonly string[][]): Resolver & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    async resolve(name) {
      asked.push(name);
      return answers[Math.min(asked.length, answers.length) - 1]!;
    },
  };
}

/** A deliverer to any target, so that it reaches loopback. */
export function anywhere(options: Partial<ConstructorParameters<typeof Deliverer>[0]> = {}) {
  const resolver = resolving(['127.0.0.1']);
  return new Deliverer({ targets: 'any', resolver, clock: systemClock, ...options });
}

/** A message to the URL. */
export function message(url: string, body = '{"type":"webhook.ping"}') {
  return { url, headers: { 'Content-Type': 'application/json' }, body: Buffer.from(body) };
}
