import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../harness/cli.ts';
import { freePort } from '../harness/free-port.ts';
import { isThere, PROXIES } from '../harness/proxies.ts';
import { until } from '../harness/until.ts';

const [, nginx] = PROXIES;

/** Requests that nginx refuses itself. */
const REFUSED: [words: (port: number, large: string) => string[], status: number, type: string][] =
  [
    [(port) => [`http://127.0.0.1:${port}/v1/tracks/%zz`], 400, 'invalid_request'],
    [(port) => ['-X', 'TRACE', `http://127.0.0.1:${port}/v1/tracks`], 405, 'method_not_allowed'],
    [
      (port, large) => ['-T', large, `http://127.0.0.1:${port}/v1/tracks`],
      413,
      'payload_too_large',
    ],
    [(port) => [`http://127.0.0.1:${port}/${'a'.repeat(40_000)}`], 414, 'uri_too_long'],
    [
      (port) => ['-H', `A: ${'a'.repeat(40_000)}`, `http://127.0.0.1:${port}/v1/tracks`],
      431,
      'headers_too_large',
    ],
  ];

it.skipIf(!isThere(nginx))('nginx logs the request id that the caller and Stave have', async () => {
  using folder = temporaryFolder();
  const seen: unknown[] = [];
  const node = createServer(({ headers }, response) => {
    seen.push(headers['x-request-id']);
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(node, 'listening');
  const port = await freePort();
  const path = folder.at('proxy.conf');
  const nodes = Array<number>(2).fill((node.address() as AddressInfo).port);
  writeFileSync(path, nginx.configuration(nodes, port, folder.path));
  const running = spawn(nginx.program, nginx.words(path), { stdio: 'ignore' });
  try {
    const get = (id: string) =>
      fetch(`http://127.0.0.1:${port}/v1/tracks?signature=abc`, {
        headers: { 'X-Request-Id': id },
      });
    await until(async () => (await get('first').catch(() => undefined))?.status === 200);
    await get('mine-1');
    await get('not "an id"');
    const [made] = seen.slice(-1);
    expect(seen.slice(-2)).toEqual(['mine-1', expect.stringMatching(/^[0-9a-f]{32}$/)]);
    const log = () => readFileSync(folder.at('stave.log'), 'utf8');
    await until(() => log().includes(`request=${made}`));
    expect(log()).toMatch(
      /^127\.0\.0\.1 \[\S+\] "GET \/v1\/tracks" 200 2 \S+s \S+ request=mine-1$/m,
    );
    expect(log()).not.toContain('signature');

    const large = folder.at('large');
    writeFileSync(large, Buffer.alloc(5_000_000));
    for (const [words, status, type] of REFUSED) {
      const answer = execFileSync(
        'curl',
        ['-sS', '-i', '--path-as-is', '-H', `X-Request-Id: mine-${status}`, ...words(port, large)],
        { encoding: 'utf8' },
      );
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      // Some are refused before nginx has read the id that the caller sent.
      const [, requestId] = /^x-request-id: (\S+)/im.exec(answer)!;
      expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({
        error: { code: status, type, requestId },
      });
      await until(() => log().includes(`request=${requestId}`));
      const line = log()
        .split('\n')
        .find((one) => one.includes(`request=${requestId}`));
      expect(line).toMatch(/"(?:GET|TRACE|PUT) \/(?:v1|aaaa)/);
    }

    node.close();
    node.closeAllConnections();
    const refused = await get('mine-2');
    expect([refused.status, refused.headers.get('x-request-id')]).toEqual([503, 'mine-2']);
    expect(await refused.json()).toMatchObject({ error: { requestId: 'mine-2' } });
  } finally {
    node.close();
    const gone = once(running, 'exit');
    running.kill();
    await gone;
  }
});
