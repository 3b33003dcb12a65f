import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../harness/cli.ts';
import { TestClock } from '../harness/clock.ts';
import { tokenOf } from '../harness/feature-server.ts';
import { freePort } from '../harness/free-port.ts';
import { startNoteServer } from '../harness/note-server.ts';
import { isThere, PROXIES } from '../harness/proxies.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { until } from '../harness/until.ts';

const nginx = PROXIES[1];

it.skipIf(!isThere(nginx))('a resource is edited behind nginx, which weakens its tag', async () => {
  using folder = temporaryFolder();
  const place = await ADAPTERS[0]!.provide();
  const server = await startNoteServer(ADAPTERS[0]!, place.location, new TestClock());
  const port = await freePort();
  const { port: node } = new URL(server.base);
  const path = folder.at('nginx.conf');
  const configuration = nginx.configuration([Number(node), Number(node)], port, folder.path);
  const compressed =
    'http { gzip on; gzip_types application/json; gzip_min_length 1; gzip_proxied any;';
  writeFileSync(path, configuration.replace('http {', compressed));
  const running = spawn(nginx.program, nginx.words(path), { stdio: 'ignore' });
  const gone = once(running, 'exit');
  try {
    const base = `http://127.0.0.1:${port}`;
    const headers = { Authorization: `Bearer ${tokenOf()}`, 'Content-Type': 'application/json' };
    await until(() => fetch(base).then(Boolean, () => false));
    const body = JSON.stringify({ text: 'a' });
    const made = await fetch(`${base}/v1/notes`, { method: 'POST', headers, body });
    const { data } = (await made.json()) as { data: { id: string } };
    const url = `${base}/v1/notes/${data.id}`;
    let etag = (await fetch(url, { headers })).headers.get('etag')!;
    for (const version of [2, 3]) {
      expect(etag).toBe(`W/"${version - 1}"`);
      const ifMatch = { ...headers, 'If-Match': etag };
      const changed = await fetch(url, { method: 'PATCH', headers: ifMatch, body });
      expect(await changed.json()).toMatchObject({ data: { version } });
      etag = changed.headers.get('etag')!;
    }
  } finally {
    running.kill();
    await gone;
    await server.close();
    await place.dispose();
  }
});
