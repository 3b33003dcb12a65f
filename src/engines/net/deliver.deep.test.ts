import { mkdtempSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { writeCertificate } from '../../../test/harness/certificate.ts';
import { TestClock } from '../../../test/harness/clock.ts';
import { freePort } from '../../../test/harness/free-port.ts';
import { DAY_MS } from '../../common/clock.ts';
import { answering, anywhere, listener, message, resolving } from './deliver.test-support.ts';

const local = (port: number) => message(`http://127.0.0.1:${port}/hook?tenant=7`);
/** Connects to an address that accepts and never answers. */
const silent = () => listener();

test('sends one POST with the given headers and bytes, on a connection of its own', async () => {
  let sent = '';
  const server = await listener((socket) => {
    socket.on('data', (bytes) => {
      sent += bytes;
      if (sent.endsWith('}')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    });
  });
  expect(await anywhere().deliver(local(server.port))).toMatchObject({
    delivered: true,
    httpStatus: 200,
    error: null,
    response: 'ok',
    retryAfterMs: null,
  });
  expect(sent.split('\r\n')).toEqual([
    'POST /hook?tenant=7 HTTP/1.1',
    'Content-Type: application/json',
    `Host: 127.0.0.1:${server.port}`,
    'Connection: close',
    'Content-Length: 23',
    '',
    '{"type":"webhook.ping"}',
  ]);
});

test.each([200, 201, 204, 299])('%i is a success', async (status) => {
  const { port } = await answering(`HTTP/1.1 ${status} Fine\r\nContent-Length: 0\r\n\r\n`);
  expect(await anywhere().deliver(local(port))).toMatchObject({
    delivered: true,
    httpStatus: status,
  });
});

test.each([304, 400, 410, 500])('%i is a failure', async (status) => {
  const { port } = await answering(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`);
  const attempt = await anywhere().deliver(local(port));
  expect(attempt).toMatchObject({ delivered: false, httpStatus: status, error: null });
});

test('keeps the first 1 KiB as text, without a divided character or U+0000', async () => {
  const body = Buffer.from(`a\0${'é'.repeat(2_000)}`);
  const { port } = await answering(
    `HTTP/1.1 500 No\r\nContent-Length: ${body.length}\r\n\r\n`,
    body,
  );
  const { response } = await anywhere().deliver(local(port));
  expect(response).toBe(`a\uFFFD${'é'.repeat(511)}`);
});

test('a response that never comes, or never ends, is a timeout', async () => {
  const sender = anywhere({ answerMs: 1_000 });
  const { port } = await silent();
  expect(await sender.deliver(local(port))).toMatchObject({ error: 'timeout', httpStatus: null });
  const slow = await answering('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n', 'part');
  expect(await sender.deliver(local(slow.port))).toMatchObject({
    delivered: false,
    error: 'timeout',
    httpStatus: 200,
    response: 'part',
  });
});

test('a name that is not resolved, and a handshake that does not end, is a timeout', async () => {
  const resolver = { resolve: () => new Promise<never>(() => {}) };
  const url = 'http://hooks.example/';
  expect(await anywhere({ resolver, connectMs: 100 }).deliver(message(url))).toMatchObject({
    error: 'timeout',
  });
  const { port } = await silent();
  const secure = message(`https://127.0.0.1:${port}/`);
  expect(await anywhere({ connectMs: 100 }).deliver(secure)).toMatchObject({ error: 'timeout' });
});

test('reports why there was no response', async () => {
  const unknown = anywhere({ resolver: resolving([]) });
  expect((await unknown.deliver(message('http://hooks.example/'))).error).toBe('name_not_resolved');
  const port = await freePort();
  expect((await anywhere().deliver(local(port))).error).toBe('connection_failed');
  const closing = await listener((socket) => socket.end());
  expect((await anywhere().deliver(local(closing.port))).error).toBe('connection_failed');
  const other = await answering('220 smtp.example ESMTP\r\n');
  expect((await anywhere().deliver(local(other.port))).error).toBe('invalid_response');
  const cut = await listener((socket) => {
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart'));
  });
  expect(await anywhere().deliver(local(cut.port))).toMatchObject({
    delivered: false,
    error: 'invalid_response',
  });
  const upgrade = await answering(
    'HTTP/1.1 101 Switch\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
  );
  expect((await anywhere().deliver(local(upgrade.port))).error).toBe('invalid_response');
});

test('an attempt can be interrupted', async () => {
  const { port, sockets } = await silent();
  const ending = new AbortController();
  const attempt = anywhere().deliver(local(port), ending.signal);
  ending.abort();
  expect((await attempt).error).toBe('interrupted');
  expect((await anywhere().deliver(local(port), ending.signal)).error).toBe('interrupted');
  expect(sockets.length).toBeLessThan(2);
});

test('uses the other family where the first address cannot be reached', async ({ skip }) => {
  const server = await answering('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
  const resolver = resolving(['::1', '127.0.0.1']);
  const reached = () =>
    anywhere({ resolver }).deliver(message(`http://hooks.example:${server.port}/`));
  expect((await reached()).delivered).toBe(true);
  if (!(await server.moveTo('::1'))) return skip('this machine has no IPv6');
  expect((await reached()).delivered).toBe(true);
});

test.each([
  ['7', 7_000],
  ['0', 0],
  ['999999999', DAY_MS],
  ['Mon, 23 Nov 2026 12:00:30 GMT', 30_000],
  ['Monday, 23-Nov-26 12:00:30 GMT', 30_000],
  ['Mon, 23 Nov 2026 11:00:00 GMT', 0],
  ['Wed, 23 Nov 2033 12:00:00 GMT', DAY_MS],
  ['-1', null],
  ['1.5', null],
  ['soon', null],
  ['', null],
])('Retry-After: %s', async (value, expected) => {
  const clock = new TestClock(Date.UTC(2026, 10, 23, 12));
  const answer = `Retry-After: ${value}\r\nContent-Length: 0\r\n\r\n`;
  const { port } = await answering(`HTTP/1.1 503 No\r\n${answer}`);
  expect((await anywhere({ clock }).deliver(local(port))).retryAfterMs).toBe(expected);
  const fault = await answering(`HTTP/1.1 500 No\r\n${answer}`);
  expect((await anywhere({ clock }).deliver(local(fault.port))).retryAfterMs).toBeNull();
});

test('verifies the certificate against the name', async ({ skip }) => {
  const files = writeCertificate(mkdtempSync(join(tmpdir(), 'stave-tls-')));
  if (files === undefined) return skip('openssl is not installed');
  const cert = readFileSync(files.cert, 'utf8');
  const server: Server = createServer(
    { cert, key: readFileSync(files.key) },
    (_request, response) => response.end('secure'),
  );
  const names: string[] = [];
  server.on('secureConnection', ({ servername }) => void names.push(servername as string));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const deliver = (host: string) => anywhere().deliver(message(`https://${host}:${port}/`));
  expect((await deliver('localhost')).error).toBe('tls_failed');
  const trusted = getCACertificates('default');
  setDefaultCACertificates([...trusted, cert]);
  onTestFinished(() => setDefaultCACertificates(trusted));
  expect(await deliver('localhost')).toMatchObject({ delivered: true, response: 'secure' });
  expect(await deliver('localhost.')).toMatchObject({ delivered: true });
  expect(new Set(names)).toEqual(new Set(['localhost']));
  expect((await deliver('hooks.example')).error).toBe('tls_failed');
});
