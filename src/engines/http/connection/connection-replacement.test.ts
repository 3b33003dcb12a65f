import type { RequestListener, Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../../../test/harness/until.ts';
import { createGuardedServer, markAuthenticated } from './guarded-server.ts';

let server: Server;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function listen(
  onRequest: RequestListener,
  maxConnections = { inAll: 5, ofAddress: 3 },
): Promise<void> {
  server = createGuardedServer({ tls: null, maxConnections, onRequest });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
}

/** Opens a connection that the server has accepted, from a loopback address. */
async function open(localAddress = '127.0.0.1'): Promise<Socket> {
  const accepted = new Promise<void>((resolve) => server.once('connection', () => resolve()));
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  sockets.push(socket);
  socket.on('error', () => {});
  await accepted;
  return socket;
}

/** Sends a request, and waits for the first bytes of its response; '' if the connection closes without one. */
function send(socket: Socket, path = '/'): Promise<string> {
  return new Promise((resolve) => {
    socket.once('data', (bytes) => resolve(bytes.toString().split('\r\n', 1)[0]!));
    socket.once('close', () => resolve(''));
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  });
}

const isClosed = (socket: Socket) => socket.destroyed || socket.readableEnded;
const answerAll: RequestListener = (_, response) => response.end('done');

describe('connections of a guarded server', () => {
  it('replace the one of the same address that was without a request for the longest time', async () => {
    await listen(answerAll);
    const [first, second, third] = [await open(), await open(), await open()];
    const other = await open('127.0.0.2');
    expect(await send(first)).toBe('HTTP/1.1 200 OK');
    const fourth = await open();
    await until(() => isClosed(second));
    for (const socket of [first, third, fourth, other]) {
      expect(await send(socket)).toBe('HTTP/1.1 200 OK');
    }
  });

  it('replace one of another address at the limit in total', async () => {
    await listen(answerAll, { inAll: 2, ofAddress: 2 });
    const first = await open('127.0.0.2');
    const second = await open('127.0.0.3');
    const third = await open();
    await until(() => isClosed(first));
    expect(await send(second)).toBe('HTTP/1.1 200 OK');
    expect(await send(third)).toBe('HTTP/1.1 200 OK');
  });

  it('replace one of the address with the most connections at the limit in total', async () => {
    await listen(answerAll, { inAll: 4, ofAddress: 4 });
    const first = await open('127.0.0.2');
    const flood: Socket[] = [];
    for (let i = 0; i < 10; i++) flood.push(await open(`127.0.0.${3 + (i % 2)}`));
    await until(() => flood.slice(0, 7).every(isClosed));
    expect(await send(first)).toBe('HTTP/1.1 200 OK');
  });

  it('replace one with an open request, unless it is authenticated', async () => {
    const open_: ServerResponse[] = [];
    await listen(
      (request, response) => {
        if (request.url === '/known') markAuthenticated(request);
        response.write('begun');
        open_.push(response);
      },
      { inAll: 2, ofAddress: 2 },
    );
    const known = await open();
    expect(await send(known, '/known')).toBe('HTTP/1.1 200 OK');
    const stranger = await open();
    expect(await send(stranger)).toBe('HTTP/1.1 200 OK');
    const next = await open();
    await until(() => isClosed(stranger));
    expect(await send(next, '/known')).toBe('HTTP/1.1 200 OK');
    const refused = await open();
    await until(() => isClosed(refused));
    expect([known, next].map(isClosed)).toEqual([false, false]);
    for (const response of open_) response.end();
    await until(async () => {
      const more = await open();
      return (await send(more)) === 'HTTP/1.1 200 OK';
    });
  });
});
