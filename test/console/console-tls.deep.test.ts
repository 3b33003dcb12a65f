import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { afterAll, expect, it } from 'vitest';
import { writeCertificate } from '../harness/certificate.ts';
import { serve, temporaryFolder } from '../harness/cli.ts';
import { freePort } from '../harness/free-port.ts';
import { PASSWORD, setPassword } from './console-client.ts';

const folder = temporaryFolder();
const files = writeCertificate(folder.path);

afterAll(() => folder[Symbol.dispose]());

it.skipIf(files === undefined)('speaks HTTPS with the certificate of the service', async () => {
  const { cert, key } = files!;
  const data = folder.at('data');
  await setPassword(data);
  const port = await freePort();
  await using _service = await serve(data, {
    STAVE_CONSOLE_PORT: String(port),
    STAVE_TLS_CERT: cert,
    STAVE_TLS_KEY: key,
  });
  const ca = readFileSync(cert);
  const send = (path: string, sent: { method?: string; body?: string } = {}) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const { method = 'GET', body = '' } = sent;
      const origin = `https://localhost:${port}`;
      const headers = { origin, 'content-type': 'application/x-www-form-urlencoded' };
      const options = { host: 'localhost', port, path, method, ca, family: 4, headers };
      request(options, (response) => resolve(response.resume()))
        .once('error', reject)
        .end(body);
    });
  const body = new URLSearchParams({ password: PASSWORD }).toString();
  const login = await send('/login', { method: 'POST', body });
  expect(login.headers['set-cookie']).toEqual([
    expect.stringMatching(
      /^__Host-stave-console=[\w-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200; Secure$/,
    ),
  ]);
  for (const path of ['/', '/login', '/nowhere', '/%E0%A4%A', '/console.css']) {
    const { headers } = await send(path);
    expect(headers['strict-transport-security'], path).toBe('max-age=31536000');
  }
  // Node and its parser refuse these themselves.
  const long = `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`;
  for (const [bytes, status] of [
    ['garbage\r\n\r\n', 400],
    ['GET / HTTP/1.1\r\n\r\n', 400],
    ['GET / HTTP/1.1\r\nHost: localhost\r\nExpect: x\r\nConnection: close\r\n\r\n', 417],
    [long, 431],
  ] as const) {
    const socket = connect({ host: '127.0.0.1', port, ca, servername: 'localhost' });
    const answer = await text(socket.once('secureConnect', () => socket.write(bytes)));
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toContain('\r\nStrict-Transport-Security: max-age=31536000\r\n');
  }
});

it('ends the start if it cannot listen, with one line', async () => {
  await using _taken = await serve(folder.at('first'), { STAVE_CONSOLE_PORT: '0' });
  const { port } = new URL(_taken.url);
  await expect(serve(folder.at('second'), { STAVE_CONSOLE_PORT: port })).rejects.toThrow(
    `The console cannot listen on 127.0.0.1:${port} (EADDRINUSE): set STAVE_CONSOLE_PORT to a free port of this machine.`,
  );
});

it('leaves no upload of a console that was killed, also when the next start has no console', async () => {
  const left = folder.at('third', 'uploads', 'x');
  mkdirSync(left, { recursive: true });
  await using _service = await serve(folder.at('third'));
  expect(existsSync(left)).toBe(false);
});
