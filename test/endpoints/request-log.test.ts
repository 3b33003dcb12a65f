import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/common/ids.ts';
import { deliveries } from '../harness/catalog.ts';
import { keptLog } from '../harness/log-lines.ts';
import { startTestServer, type TestClient, type TestServer } from '../harness/test-server.ts';

const { log, lines } = keptLog();

let server: TestServer;
let client: TestClient;
beforeAll(async () => {
  const config = { trustProxy: ['loopback'] };
  server = await startTestServer({ tracks: deliveries(3), log, config });
  client = await server.createClient();
});
afterAll(() => server?.close());

/** Waits for the log line of a request, which is written after its last byte. */
async function lineOf(requestId: string) {
  const find = () =>
    lines.find((line) => line.message === 'request' && line.requestId === requestId);
  await server.until(async () => find() !== undefined);
  return find()!;
}

describe('the log of requests', () => {
  it('has the trace that the caller states, and no malformed one', async () => {
    const ids = { trace_id: '4bf92f3577b34da6a3ce929d0e0e4736', span_id: '00f067aa0ba902b7' };
    const traceparent = `00-${ids.trace_id}-${ids.span_id}-01`;
    const send = async (requestId: string, path: string, headers: Record<string, string>) => {
      await server.http.send('GET', path, { 'X-Request-Id': requestId, ...headers });
      return lineOf(requestId);
    };
    expect(await send('traced', '/version', { traceparent })).toMatchObject(ids);
    expect(await send('traced-404', '/no-such-path', { traceparent })).toMatchObject(ids);
    expect(await send('traced-401', '/v1/me', { Traceparent: traceparent })).toMatchObject(ids);
    for (const [i, malformed] of [`${traceparent}-`, traceparent.slice(1), 'x'].entries()) {
      const line = await send(`malformed-${i}`, '/version', { traceparent: malformed });
      expect(Object.keys(line)).not.toContain('trace_id');
    }
    expect(Object.keys(await send('untraced', '/version', {}))).not.toContain('trace_id');
  });

  it('names client and track of a stream after the check of its signature, and no signature', async () => {
    const token = await client.token();
    const { data: track } = await server.call('showTrack', { token, params: { slug: 'sunrise' } });
    const path = track.streamUrl.slice(server.address.length);
    await server.http.send('GET', path, { 'X-Request-Id': 'good-stream-url' });
    const line = await lineOf('good-stream-url');
    expect(line).toMatchObject({
      level: 'info',
      operationId: 'streamTrack',
      clientId: client.clientId,
      trackId: track.id,
    });
    expect(JSON.stringify(line)).not.toContain(
      new URL(track.streamUrl).searchParams.get('signature'),
    );

    const [, query = ''] = path.split('?');
    for (const mark of ['?', '#']) {
      const twice = path.split('?')[0] + encodeURIComponent(mark + query);
      await server.http.send('GET', twice, { 'X-Request-Id': `encoded-${mark.charCodeAt(0)}` });
      const encoded = await lineOf(`encoded-${mark.charCodeAt(0)}`);
      expect(JSON.stringify(encoded)).not.toContain(
        new URL(track.streamUrl).searchParams.get('signature'),
      );
    }

    await server.http.send('GET', `${path}x`, { 'X-Request-Id': 'forged-stream-url' });
    const forged = await lineOf('forged-stream-url');
    expect(forged).toMatchObject({ status: 403 });
    expect(forged.clientId).toBeUndefined();
    expect(forged.trackId).toBeUndefined();
  });

  it('has health checks at level debug, and all other requests at level info', async () => {
    await server.http.send('GET', '/health-check', { 'X-Request-Id': 'probe-of-health' });
    await server.http.send('GET', '/version', { 'X-Request-Id': 'question-for-version' });
    expect(await lineOf('probe-of-health')).toMatchObject({ level: 'debug', status: 200 });
    expect(await lineOf('question-for-version')).toMatchObject({ level: 'info', status: 200 });
  });
});

/** The requests of these tests come from here. */
const FROM = { 'X-Forwarded-For': '203.0.113.7' };
const JSON_BODY = { ...FROM, 'Content-Type': 'application/json' };

describe('the log of a refused request', () => {
  /** Sends a request, and returns its line. */
  async function logged(
    method: string,
    path: string,
    given: { id: string; token?: string; body?: object },
  ) {
    const { id, token, body } = given;
    const headers = {
      ...(body === undefined ? FROM : JSON_BODY),
      'X-Request-Id': id,
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    };
    await server.http.send(method, path, headers, body && JSON.stringify(body));
    return lineOf(id);
  }

  /** Requests a token, and returns the line of the request. */
  const login = (id: string, body: object) => logged('POST', '/v1/auth/token', { id, body });

  const credentials = (secret: string) => ({
    grant_type: 'client_credentials',
    client_id: client.clientId,
    client_secret: secret,
  });

  it('names the client and the caller of a failed token request, and the secret if it was revoked', async () => {
    const { clientId, testSecret } = client;
    const wrong = `${testSecret.slice(0, -1)}${testSecret.endsWith('0') ? '1' : '0'}`;
    const line = await login('wrong-secret', credentials(wrong));
    expect(line).toMatchObject({
      ...{ status: 401, error: 'invalid_client', clientId, caller: '203.0.113.7' },
      problem: expect.stringContaining('do not belong together'),
    });
    expect(line.secretId).toBeUndefined();
    expect(JSON.stringify(lines)).not.toContain(wrong);

    const { secrets } = (await server.operator.store.clients.get(clientId))!;
    const { id: secretId } = secrets.find(({ mode }) => mode === 'test')!;
    await server.operator.store.clients.revokeSecret(clientId, secretId, 'test');
    let revoked = line;
    await server.until(async () => {
      revoked = await login(newId(), credentials(testSecret));
      return revoked.status === 401;
    });
    expect(revoked).toMatchObject({ error: 'invalid_client', clientId, secretId });
    expect(JSON.stringify(lines)).not.toContain(testSecret);
  });

  it('has the client of a token request that is invalid, and of one that succeeds', async () => {
    const other = await server.createClient();
    const { clientId, liveSecret } = other;
    const whole = {
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: liveSecret,
    };
    const incomplete = await login('no-secret', { ...whole, client_secret: undefined });
    expect(incomplete).toMatchObject({
      ...{ status: 400, error: 'invalid_request', clientId, problem: 'client_secret is missing' },
    });
    const grant = await login('other-grant', { ...whole, grant_type: 'password' });
    expect(grant).toMatchObject({ error: 'unsupported_grant_type', clientId });
    const scope = await login('other-scope', { ...whole, scope: 'usage' });
    expect(scope).toMatchObject({
      ...{ error: 'invalid_scope', clientId, secretId: expect.any(String) },
      problem: expect.stringContaining('"usage" is not a scope of this client'),
    });
    const good = await login('good-login', whole);
    expect(good).toMatchObject({ status: 200, clientId, secretId: scope.secretId });
    expect(good.error).toBeUndefined();
    const odd = await login('odd-id', { ...whole, client_id: liveSecret });
    expect(odd).toMatchObject({ error: 'invalid_client' });
    expect(odd.clientId).toBeUndefined();
  });

  it('has the first problem, the client and its secret', async () => {
    const other = await server.createClient();
    const { clientId } = other;
    const token = await other.token();
    const { secrets } = (await server.operator.store.clients.get(clientId))!;
    const { id: secretId } = secrets.find(({ mode }) => mode === 'test')!;
    const whose = { clientId, secretId, caller: '203.0.113.7' };
    expect(
      await logged('GET', '/v1/tracks?page=0&pageSize=x', { id: 'bad-page', token }),
    ).toMatchObject({
      ...{ ...whose, status: 400, error: 'invalid_request' },
      problem: expect.stringMatching(/^page must /),
    });
    expect(await logged('GET', '/v1/tracks/nothing', { id: 'no-track', token })).toMatchObject({
      ...{ ...whose, status: 404, error: 'not_found', problem: expect.any(String) },
    });
    expect(await logged('GET', '/v1/nothing', { id: 'no-path' })).toMatchObject({
      ...{ status: 404, error: 'not_found', caller: '203.0.113.7' },
    });
    server.clock.advance(3_700);
    expect(await logged('GET', '/v1/me', { id: 'expired', token })).toMatchObject({
      ...{ ...whose, status: 401, error: 'invalid_token' },
      problem: expect.stringContaining('has expired'),
    });
  });

  it('is kept for the operator, and the address of each use of a secret', async () => {
    const other = await server.createClient();
    const token = await other.token({ mode: 'live' });
    await logged('GET', '/v1/tracks?page=0', { id: 'kept', token });
    await logged('GET', '/v1/me', { id: 'fine', token });
    const { calls } = server.operator.store;
    await server.until(async () => (await calls.errors({ requestId: 'kept' })).length > 0);
    expect(await calls.errors({ clientId: other.clientId })).toMatchObject([
      { operationId: 'listTracks', status: 400, problem: expect.stringMatching(/^page must /) },
    ]);
    await server.until(async () => (await calls.days(other.clientId, 0)).length >= 2);
    const addresses = await calls.addresses(other.clientId);
    expect(addresses.find(({ address }) => address === '203.0.113.7')).toMatchObject({
      requests: 2,
    });
  });

  it('is kept without a secret in its path', async () => {
    const other = await server.createClient();
    const token = await other.token({ mode: 'live' });
    const path = `/v1/tracks/${'a'.repeat(170)}-${other.liveSecret}`;
    await logged('GET', path, { id: 'secret', token });
    const { calls } = server.operator.store;
    await server.until(async () => (await calls.errors({ requestId: 'secret' })).length > 0);
    const [error] = await calls.errors({ requestId: 'secret' });
    expect(error!.path).toMatch(/^\/v1\/tracks\/a+-\[/);
    expect(error!.path).not.toContain(other.liveSecret.slice(0, 12));
  });

  it('names the reason and the caller of what is no request', async () => {
    const { port } = new URL(server.address);
    const socket = connect(Number(port), '127.0.0.1').end('GET / HTTP/1.1\r\n no header\r\n\r\n');
    for await (const _ of socket);
    const found = () => lines.find(({ message }) => message === 'malformed request');
    await server.until(async () => found() !== undefined);
    expect(found()).toMatchObject({ status: 400, error: 'invalid_request', caller: '127.0.0.1' });
  });
});
