import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { writeCertificate } from '../harness/certificate.ts';
import { temporaryFolder } from '../harness/cli.ts';
import { freePorts } from '../harness/free-port.ts';
import { isThere, PROXIES } from '../harness/proxies.ts';
import { until } from '../harness/until.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** The lines of deploy/ that are ready for HTTPS, with the files and the port of the test. */
function withTls(configuration: string, files: { cert: string; key: string; both: string }) {
  return (port: number) =>
    configuration
      .replace(/# (bind) :8443 (ssl crt) \S+/, `$1 127.0.0.1:${port} $2 ${files.both}`)
      .replace(
        /# (listen) 8443 (ssl http2; ssl_certificate) …; (ssl_certificate_key) …;/,
        `$1 127.0.0.1:${port} $2 ${files.cert}; $3 ${files.key};`,
      );
}

for (const proxy of PROXIES) {
  it.skipIf(!isThere(proxy))(
    `${proxy.program} tells browsers to stay with HTTPS`,
    async ({ skip }) => {
      const folder = temporaryFolder();
      ends.push(() => folder[Symbol.dispose]());
      const files = writeCertificate(folder.path);
      if (files === undefined) return skip('openssl is not installed');
      const both = folder.at('both.pem');
      writeFileSync(both, readFileSync(files.cert, 'utf8') + readFileSync(files.key, 'utf8'));
      const node = createServer((_, response) => response.end('{}')).listen(0, '127.0.0.1');
      await once(node, 'listening');
      const nodes = Array<number>(2).fill((node.address() as AddressInfo).port);
      const [plain, encrypted] = (await freePorts(2)) as [number, number];
      const path = folder.at('proxy.conf');
      const configuration = proxy.configuration(nodes, plain, folder.path);
      writeFileSync(path, withTls(configuration, { ...files, both })(encrypted));
      const running = spawn(proxy.program, proxy.words(path), { stdio: 'ignore' });
      ends.push(async () => {
        const gone = once(running, 'exit');
        running.kill();
        await gone;
      });

      const get = () =>
        new Promise<IncomingMessage | undefined>((resolve) => {
          const options = { ca: readFileSync(files.cert), servername: 'localhost', agent: false };
          request({ host: '127.0.0.1', port: encrypted, ...options }, (response) =>
            resolve(response.resume()),
          )
            .once('error', () => resolve(undefined))
            .end();
        });
      const strict = { 'strict-transport-security': 'max-age=31536000' };
      await until(async () => (await get())?.statusCode === 200);
      expect((await get())!.headers).toMatchObject(strict);
      const { headers } = await fetch(`http://127.0.0.1:${plain}/`);
      expect(headers.has('strict-transport-security')).toBe(false);

      // The error of the proxy itself.
      node.close();
      node.closeAllConnections();
      await until(async () => (await get())?.statusCode === 503);
      expect((await get())!.headers).toMatchObject(strict);
    },
  );
}
