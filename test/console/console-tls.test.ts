import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { request } from 'node:https';
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
  const cookies = await new Promise<string[]>((resolve, reject) => {
    const sent = request(
      {
        ...{ host: 'localhost', port, path: '/login', method: 'POST', ca: readFileSync(cert) },
        family: 4,
        headers: {
          origin: `https://localhost:${port}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
      },
      (response) => {
        response.resume();
        resolve(response.headers['set-cookie'] ?? []);
      },
    );
    sent.once('error', reject);
    sent.end(new URLSearchParams({ password: PASSWORD }).toString());
  });
  expect(cookies).toEqual([
    expect.stringMatching(
      /^__Host-stave_console=[\w.-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200; Secure$/,
    ),
  ]);
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
