import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { HttpCaller } from '../harness/http.ts';
import { startTestServer } from '../harness/test-server.ts';

describe('a node that drains', () => {
  it('responds with unavailable on open connections, and with the versions to health checks', async () => {
    const leaving = await startTestServer({ tracks: [] });
    const mine = await (await leaving.createClient()).token();
    // A request whose body never ends prevents the node from closing.
    const { hostname, port } = new URL(leaving.address);
    const slow = connect(Number(port), hostname);
    await new Promise((resolve) => slow.once('connect', resolve));
    slow.write(
      `POST /v1/search HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${mine}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{`,
    );
    const slowAnswer = new Promise<string>((resolve) => {
      let text = '';
      slow.on('data', (chunk) => {
        text += chunk;
      });
      slow.on('end', () => resolve(text));
    });
    // A draining node refuses new connections, so these are opened before.
    const operations = [
      'healthCheck',
      'checkReadiness',
      'readVersion',
      'checkLiveness',
      'listTracks',
      'createToken',
      'createOAuthToken',
    ];
    const sockets = await Promise.all(operations.map(() => keptConnection(leaving.address)));
    const closed = leaving.service.close();
    await leaving.until(async () => !(await canConnect(leaving.address)));

    for (const [i, operationId] of operations.entries()) {
      const { method, path } = leaving.contract.operation(operationId);
      const response = await sockets[i]!.send(method, path, { Authorization: `Bearer ${mine}` });
      if (['readVersion', 'checkLiveness'].includes(operationId)) {
        expect(response.status).toBe(200);
        continue;
      }
      leaving.contract.check(operationId, response);
      expect(response.status).toBe(503);
      const { data, error } = JSON.parse(response.body.toString('utf8'));
      if (operationId === 'createOAuthToken') {
        expect(error).toBe('temporarily_unavailable');
        continue;
      }
      expect(error.type).toBe('unavailable');
      expect(data).toEqual(
        ['healthCheck', 'checkReadiness'].includes(operationId)
          ? { apiVersion: 'v1', serviceVersion: expect.any(String) }
          : {},
      );
    }
    slow.write('}');
    expect(await slowAnswer).toMatch(/^HTTP\/1\.1 200 /);
    await closed;
    for (const socket of sockets) {
      socket.close();
    }
    await leaving.close();
  });
});

/** Opens a persistent connection. */
async function keptConnection(address: string): Promise<HttpCaller> {
  const http = new HttpCaller(address);
  await http.send('GET', '/version');
  return http;
}

function canConnect(address: string): Promise<boolean> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
