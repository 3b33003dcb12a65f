import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { startFixture, TOKEN } from '../../../../test/harness/fixture-server.ts';
import { THING_ROUTE } from '../../../../test/harness/thing-route.ts';
import { until } from '../../../../test/harness/until.ts';
import type { Route } from '../route/route.ts';
import { ResponseCache } from './response-cache.ts';

const isKept = ({ req }: ServerResponse) => req.url === '/v1/kept';
const { body: _, ...GET } = { ...THING_ROUTE, method: 'GET' as const };

it.each(['made', 'shared'])(
  'sends the responses that wait before a handler runs: %s',
  async (handled) => {
    const begun: ServerResponse[] = [];
    const ended: boolean[][] = [];
    const kept: Route = { ...GET, operationId: 'kept', path: '/v1/kept', cacheable: true };
    const made: Route = {
      ...GET,
      operationId: handled,
      path: `/v1/${handled}`,
      cacheable: handled === 'shared',
      handle: () => {
        // The handlers of a cacheable route run together.
        const before = made.cacheable ? begun.filter(isKept) : begun.slice(0, -1);
        ended.push(before.map(({ writableEnded }) => writableEnded));
        return { data: {} };
      },
    };
    const { app, port } = await startFixture({
      routes: [kept, made],
      responseCache: new ResponseCache({ catalogVersion: () => 1, maxBytes: 1_000_000 }),
      prepare: (server) =>
        server.addHook('onRequest', async (_request, reply) => {
          begun.push(reply.raw);
        }),
    });
    const connections = promisify((done: (error: Error | null, count: number) => void) =>
      app.server.getConnections(done),
    );
    /** Sends requests on connections of their own, so that one round of the event loop reads all of them. */
    const send = async (...operations: string[]) => {
      const sockets = operations.map(() => connect(port, '127.0.0.1'));
      await until(async () => (await connections()) === operations.length);
      const fields = `Host: h\r\nConnection: close\r\nAuthorization: Bearer ${TOKEN}`;
      for (const [i, socket] of sockets.entries()) {
        socket.write(`GET /v1/${operations[i]} HTTP/1.1\r\n${fields}\r\n\r\n`);
      }
      const responses = await Promise.all(sockets.map((socket) => text(socket)));
      await until(async () => (await connections()) === 0);
      return responses.map((response) => response.slice(0, 15));
    };
    for (let request = 0; request < 3; request++) await send('kept');
    const statuses = await send('kept', 'kept', handled, 'kept', handled);
    expect(new Set(statuses)).toEqual(new Set(['HTTP/1.1 200 OK']));
    expect(ended).toHaveLength(2);
    expect(ended.flat()).not.toContain(false);
    await app.close();
  },
);
