import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { temporaryFolder } from '../harness/cli.ts';
import { freePort } from '../harness/free-port.ts';
import { isThere, PROXIES } from '../harness/proxies.ts';
import { until } from '../harness/until.ts';

const [haproxy] = PROXIES;

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Starts a node that is healthy and has 503 for all else, as one that still makes a preview. Adds the paths to `seen`. */
async function startNode(seen: string[]): Promise<number> {
  const node = createServer(({ url }, response) => {
    if (url === '/health-check') return response.end();
    seen.push(url!);
    return response.writeHead(503, { 'Retry-After': '5' }).end('{}');
  }).listen(0, '127.0.0.1');
  await once(node, 'listening');
  ends.push(() => node.close());
  return (node.address() as AddressInfo).port;
}

it.skipIf(!isThere(haproxy))('sends a request for a preview to one node, once', async () => {
  const seen: string[] = [];
  const nodes = [await startNode(seen), await startNode(seen)];
  const folder = temporaryFolder();
  ends.push(() => folder[Symbol.dispose]());
  const port = await freePort();
  const path = folder.at('haproxy.conf');
  writeFileSync(path, haproxy.configuration(nodes, port, folder.path));
  const running = spawn(haproxy.program, haproxy.words(path), { stdio: 'ignore' });
  ends.push(async () => {
    const gone = once(running, 'exit');
    running.kill();
    await gone;
  });
  const get = (url: string) => fetch(`http://127.0.0.1:${port}${url}`);
  await until(async () => (await get('/health-check').catch(() => undefined))?.status === 200);

  for (const url of ['/media/preview/a?kind=preview', '/media/waveform/a.json?kind=waveform']) {
    const response = await get(url);
    // The one of the node: each further node would take ten seconds more.
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    expect(seen.splice(0)).toEqual([url]);
  }
  // Another node may answer what this one cannot.
  expect((await get('/v1/tracks')).status).toBe(503);
  expect(seen).toEqual(['/v1/tracks', '/v1/tracks', '/v1/tracks']);
});
