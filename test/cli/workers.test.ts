import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, get, type IncomingMessage } from 'node:http';
import { Agent as TlsAgent, get as tlsGet } from 'node:https';
import { connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Json,
  type Serving,
  serve,
  someTracks,
  staveJson,
  staveProcess,
  type TemporaryFolder,
  temporaryFolder,
  until,
} from './harness.ts';

const TWO = ['--workers', '2'];
const FAILING_WORKER = new URL('../fixtures/failing-worker.ts', import.meta.url).href;

interface Asked {
  status: number;
  headers: IncomingMessage['headers'];
  body: string;
}

/** Asks on connections of its own, so that both workers get some of them. */
function asker(service: Serving, token: string, connections = 32) {
  const options = { keepAlive: true, maxSockets: connections };
  const isTls = service.url.startsWith('https:');
  const agent = isTls ? new TlsAgent(options) : new Agent(options);
  const headers = { authorization: `Bearer ${token}` };
  const ask = (path: string) =>
    new Promise<Asked>((resolve, reject) => {
      const settings = { agent, headers, rejectUnauthorized: false };
      const request = (isTls ? tlsGet : get)(service.url + path, settings, async (response) => {
        try {
          const body = await text(response);
          resolve({ status: response.statusCode!, headers: response.headers, body });
        } catch (error) {
          reject(error);
        }
      });
      request.on('error', reject);
    });
  return {
    ask,
    times: (count: number, path: string) =>
      Promise.all(Array.from({ length: count }, () => ask(path))),
    [Symbol.dispose]: () => agent.destroy(),
  };
}

const newClient = (data: string, ...args: string[]) =>
  staveJson(data, ['clients', 'create', '-n', 'A', '-s', 'tracks,search', ...args]);

/** Somebody who sends the head of a request and never its body. */
async function unfinishedRequest({ url }: Serving): Promise<Disposable> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on('error', () => {});
  const head = `POST /v1/auth/token HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: 10\r\n`;
  const asks = 'Content-Type: application/json\r\nExpect: 100-continue\r\n';
  socket.write(`${head}${asks}\r\n`);
  // The worker has begun once it asks for the body.
  await once(socket, 'data');
  return { [Symbol.dispose]: () => socket.destroy() };
}

/** A free port of this machine: somebody else may take it, which no test here has seen. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A token of a client that the service has come to know. */
async function tokenOf(service: Serving, client: Json): Promise<string> {
  let token = '';
  await until(async () => {
    token = await service.token(client.clientId, client.testSecret).catch(() => '');
    return token !== '';
  }, 'the client');
  return token;
}

function imported(folder: TemporaryFolder, count: number): Promise<Json> {
  writeFileSync(folder.at('tracks.ndjson'), someTracks(count));
  return staveJson(folder.at('data'), ['import', folder.at('tracks.ndjson')]);
}

/** The values of a metric, by its labels as text. */
async function metric(port: number, name: string): Promise<Map<string, number>> {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
  const lines = (await answer.text()).split('\n').filter((line) => line.startsWith(name));
  return new Map(
    lines.map((line) => {
      const [series, value] = [line.slice(0, line.lastIndexOf(' ')), line.split(' ').at(-1)];
      return [series.slice(name.length), Number(value)];
    }),
  );
}

describe('stave serve --workers 2', () => {
  let folder: TemporaryFolder;
  let service: Serving;
  let metricsPort: number;
  let data: string;
  beforeAll(async () => {
    folder = temporaryFolder();
    data = folder.at('data');
    metricsPort = await freePort();
    await imported(folder, 300);
    service = await serve(data, { STAVE_METRICS_PORT: String(metricsPort) }, TWO);
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  it('answers alike whichever worker is asked, and both are', async () => {
    const token = await tokenOf(service, await newClient(data, '--rate-limit', '100000'));
    using client = asker(service, token);
    const before = await metric(metricsPort, 'stave_http_requests_total');
    const answers = await client.times(200, '/v1/tracks?sort=name&page=2');
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const shown = answers.map(({ body }) =>
      JSON.parse(body).data.items.map(({ slug }: { slug: string }) => slug),
    );
    expect(shown).toEqual(Array(200).fill(shown[0]));
    const after = await metric(metricsPort, 'stave_http_requests_total');
    const counted = [...after].map(([labels, value]) => [
      labels,
      value - (before.get(labels) ?? 0),
    ]);
    for (const worker of [0, 1]) {
      const mine = counted.filter(([labels]) => String(labels).includes(`worker="${worker}"`));
      expect(Math.max(...mine.map(([, value]) => Number(value)))).toBeGreaterThan(10);
    }
  });

  it('admits exactly 600 of 650 requests, over all connections', async () => {
    const token = await tokenOf(service, await newClient(data));
    using client = asker(service, token, 64);
    const answers = await Promise.all(
      Array.from({ length: 650 }, async () => {
        // A machine that is busy with other tests may be told to come back, which counts for nothing.
        for (;;) {
          const answer = await client.ask('/v1/tracks');
          if (answer.status !== 503) return answer;
          await sleep(100);
        }
      }),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(600);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(50);
    for (const { headers } of refused) expect(headers['ratelimit-remaining']).toBe('0');
    const left = answers
      .filter(({ status }) => status === 200)
      .map(({ headers }) => Number(headers['ratelimit-remaining']));
    expect(left.sort((a, b) => a - b)).toEqual(Array.from({ length: 600 }, (_, i) => i));
  });

  it('counts failed log-ins over both', async () => {
    const { clientId } = await newClient(data);
    const answers = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const response = await fetch(`${service.url}/v1/auth/token`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', connection: 'close' },
          body: JSON.stringify({
            grant_type: 'client_credentials',
            client_id: clientId,
            client_secret: 'stave_test_wrong',
          }),
        });
        await response.text();
        return response.status;
      }),
    );
    expect(answers.filter((status) => status === 401)).toHaveLength(10);
    expect(answers.filter((status) => status === 429)).toHaveLength(30);
  });

  it('ends the tokens of a revoked secret in every worker within a second', async () => {
    const created = await newClient(data, '--rate-limit', '100000');
    const token = await tokenOf(service, created);
    using client = asker(service, token);
    await client.times(64, '/v1/tracks');
    const shown = await staveJson(data, ['clients', 'show', created.clientId]);
    const secret = shown.secrets.find((one: { mode: string }) => one.mode === 'test');
    await staveJson(data, ['clients', 'revoke-secret', created.clientId, secret.secretId]);
    const revokedAt = performance.now();
    let statuses: Set<number>;
    do {
      const askedAt = performance.now();
      statuses = new Set((await client.times(64, '/v1/tracks')).map(({ status }) => status));
      // Whatever was asked a second after it must have been refused.
      if (askedAt - revokedAt > 1_000) expect(statuses).toEqual(new Set([401]));
    } while (statuses.has(200));
    expect(statuses).toEqual(new Set([401]));
  });

  it('shows a change in every worker', async () => {
    const token = await tokenOf(service, await newClient(data, '--rate-limit', '100000'));
    using client = asker(service, token);
    await staveJson(data, ['tracks', 'takedown', 'track-7']);
    const everywhere = (wanted: number) => async () => {
      const answers = await client.times(64, '/v1/tracks/track-7');
      return answers.every(({ status }) => status === wanted);
    };
    await until(everywhere(404), 'the takedown everywhere');
    await staveJson(data, ['tracks', 'restore', 'track-7']);
    await until(everywhere(200), 'the track to be back');
  });

  it('tells each metric once, by worker, and those of the process without', async () => {
    const answer = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    const heads = answer.split('\n').filter((line) => line.startsWith('# TYPE'));
    expect(new Set(heads).size).toBe(heads.length);
    // The track that came back last may be on its way still.
    await until(async () => {
      const tracks = await metric(metricsPort, 'stave_tracks');
      return JSON.stringify([...tracks]) === '[["{worker=\\"0\\"}",300],["{worker=\\"1\\"}",300]]';
    }, 'all tracks in both workers');
    expect([...(await metric(metricsPort, 'process_resident_memory_bytes')).keys()]).toEqual(['']);
  });

  it('refuses a port that another Stave shares out', async () => {
    const env = { PORT: new URL(service.url).port, STAVE_LOG_LEVEL: 'silent' };
    for (const workers of [[], TWO]) {
      const ran = await staveProcess(folder.at('other'), ['serve', ...workers], { env });
      expect(ran).toMatchObject({ code: 1, stdout: '' });
      expect(ran.stderr).toMatch(/^stave: [^\n]*EADDRINUSE[^\n]*PORT[^\n]*\n$/);
    }
  });
});

describe('the start and end of several workers', () => {
  it.each(['0', '65', '1.5', 'many', '-1'])('refuses --workers %s in one line', async (count) => {
    using folder = temporaryFolder();
    const ran = await staveProcess(folder.path, ['serve', '--workers', count]);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(/^stave: [^\n]*--workers[^\n]*1 to 64[^\n]*\n$/);
  });

  it('tells in one line what keeps a worker from starting', async () => {
    using folder = temporaryFolder();
    writeFileSync(folder.at('cert.pem'), 'this is no certificate');
    const ran = await staveProcess(folder.at('data'), ['serve', ...TWO], {
      env: {
        STAVE_TLS_CERT: folder.at('cert.pem'),
        STAVE_TLS_KEY: folder.at('cert.pem'),
        STAVE_LOG_LEVEL: 'silent',
      },
    });
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(/^stave: [^\n]*STAVE_TLS_CERT[^\n]*\n$/);
  });

  it('loads the demo once, and both workers have it', async () => {
    using folder = temporaryFolder();
    await using service = await serve(folder.path, { STAVE_DEMO: 'on' }, TWO);
    expect(service.output().split('Making the demo catalog')).toHaveLength(2);
    const clients = await staveJson(folder.path, ['clients', 'list']);
    expect(clients.clients ?? clients).toHaveLength(1);
    const token = await tokenOf(service, await newClient(folder.path));
    using client = asker(service, token);
    const totals = (await client.times(64, '/v1/tracks')).map(
      ({ body }) => JSON.parse(body).data.totalRecords,
    );
    expect(new Set(totals)).toEqual(new Set([36]));
  }, 60_000);

  it('serves HTTPS (needs openssl)', async (context) => {
    using folder = temporaryFolder();
    const [key, cert] = [folder.at('key.pem'), folder.at('cert.pem')];
    try {
      const options = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
      const files = ['-keyout', key, '-out', cert, '-subj', '/CN=localhost'];
      execFileSync('openssl', ['req', '-x509', ...options, ...files], { stdio: 'ignore' });
    } catch {
      context.skip();
    }
    const env = { STAVE_TLS_CERT: cert, STAVE_TLS_KEY: key };
    await using service = await serve(folder.at('data'), env, TWO);
    expect(service.url).toMatch(/^https:/);
    using client = asker(service, '');
    const statuses = (await client.times(40, '/health-check')).map(({ status }) => status);
    expect(statuses).toEqual(Array(40).fill(200));
  });

  it('drains all workers at SIGTERM: every request under way is answered', async () => {
    using folder = temporaryFolder();
    await imported(folder, 50);
    const created = await newClient(folder.at('data'), '--rate-limit', '1000000');
    await using service = await serve(folder.at('data'), { STAVE_LOG_LEVEL: 'warn' }, TWO);
    const token = await tokenOf(service, created);
    const statuses: number[] = [];
    const callers = Array.from({ length: 32 }, async () => {
      using client = asker(service, token, 1);
      for (;;) {
        const { status, headers } = await client.ask('/v1/tracks');
        statuses.push(status);
        // Who is told that its connection ends here would go to another node.
        if (headers.connection === 'close') return status;
      }
    });
    await until(() => statuses.length > 1_000, 'some load');
    const begun = performance.now();
    expect(await service.stop()).toBe(0);
    expect(performance.now() - begun).toBeLessThan(10_000);
    const last = await Promise.all(callers);
    expect(last.every((status) => status === 200 || status === 503)).toBe(true);
    // No more than the one that told each caller to go.
    expect(statuses.filter((status) => status !== 200).length).toBeLessThanOrEqual(32);
    await expect(fetch(`${service.url}/version`)).rejects.toThrow();
  });

  it('ends at once, with 1, at a second signal', async () => {
    using folder = temporaryFolder();
    await using service = await serve(folder.path, {}, TWO);
    using _unfinished = await unfinishedRequest(service);
    const ended = service.stop('SIGINT');
    await until(() => service.output().includes('stopping'), 'the stop to begin');
    service.child.kill('SIGINT');
    expect(await ended).toBe(1);
  });

  it('ends with 0 in ten seconds though a request is never finished', async () => {
    using folder = temporaryFolder();
    await using service = await serve(folder.path, {}, TWO);
    using _unfinished = await unfinishedRequest(service);
    // Past ten seconds it would end itself with 1.
    expect(await service.stop()).toBe(0);
  });

  it('leaves nothing behind when it is killed', async () => {
    using folder = temporaryFolder();
    await imported(folder, 20);
    const first = await serve(folder.at('data'), {}, TWO);
    const pid = first.child.pid!;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    expect(children).toBe('');
    await first.stop('SIGKILL');
    const { port } = new URL(first.url);
    await using again = await serve(folder.at('data'), { PORT: port }, TWO);
    expect((await again.get('/health-check')).status).toBe(200);
    expect((await staveJson(folder.at('data'), ['doctor'])).findings).not.toContainEqual(
      expect.objectContaining({ check: 'catalog', status: 'failed' }),
    );
  });

  it('ends with 1 and one line when a worker dies', async () => {
    using folder = temporaryFolder();
    const file = folder.at('now');
    const env = {
      NODE_OPTIONS: `--import ${FAILING_WORKER}`,
      STAVE_TEST_WORKER_FILE: file,
      STAVE_LOG_LEVEL: 'error',
    };
    await using service = await serve(folder.at('data'), env, TWO);
    const ended = new Promise((resolve) => service.child.once('close', resolve));
    const before = service.output().length;
    writeFileSync(file, 'die');
    expect(await ended).toBe(1);
    const lines = service.output().slice(before).trim().split('\n');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0]!)).toMatchObject({
      level: 'error',
      worker: 1,
      msg: 'a worker ended unexpectedly, and so all end',
      err: { message: 'killed by a test' },
    });
  });

  it('leaves a worker that does not answer out of the metrics', async () => {
    using folder = temporaryFolder();
    const file = folder.at('now');
    const port = await freePort();
    const env = {
      NODE_OPTIONS: `--import ${FAILING_WORKER}`,
      STAVE_TEST_WORKER_FILE: file,
      STAVE_METRICS_PORT: String(port),
    };
    await using _service = await serve(folder.at('data'), env, TWO);
    const workers = async () => [...(await metric(port, 'stave_tracks')).keys()];
    expect(await workers()).toEqual(['{worker="0"}', '{worker="1"}']);
    writeFileSync(file, 'hang');
    await until(async () => (await workers()).join() === '{worker="0"}', 'the one to be left out');
    await until(async () => (await workers()).length === 2, 'it to be back');
  });
});

describe('the index of several workers', () => {
  /** Log lines of a message so far. */
  const told = (service: Serving, message: string): Json[] =>
    service
      .output()
      .trim()
      .split('\n')
      .filter((line) => line.includes(`"msg":"${message}"`))
      .map((line) => JSON.parse(line));

  it('is made once, and a merge is made by one and shared, while changes go on', async () => {
    using folder = temporaryFolder();
    const [data, count] = [folder.at('data'), 20_500];
    await imported(folder, count);
    await using service = await serve(data, {}, TWO);
    expect(told(service, 'search index ready')).toHaveLength(1);
    const token = await tokenOf(service, await newClient(data, '--rate-limit', '1000000'));
    using client = asker(service, token);

    const lines = someTracks(count).trim().split('\n');
    const renamed = (from: number, to: number, name: string) =>
      lines.slice(from, to).map((line) => JSON.stringify({ ...JSON.parse(line), name }));
    const changes = async (...records: string[]) => {
      writeFileSync(folder.at('changes.ndjson'), `${records.join('\n')}\n`);
      // The same source, and so the same tracks, as those of the first import.
      await staveJson(data, ['import', folder.at('changes.ndjson')]);
    };
    const found = async (text: string) => {
      const answers = await client.times(48, `/v1/tracks?search=${text}`);
      return new Set(answers.map(({ body }) => JSON.parse(body).data.totalRecords));
    };
    await changes(...renamed(0, 1_500, 'Zebra'));
    let last = 0;
    const goneBack: number[] = [];
    for (let round = 0; told(service, 'search index shared').length === 0; round++) {
      await changes(...renamed(2_000 + round * 10, 2_010 + round * 10, 'Quokka'));
      const totals = await found('quokka');
      // Both may be behind, but neither behind what it once showed; the least of the two tells.
      const least = Math.min(...totals);
      if (least < last) goneBack.push(least);
      last = least;
      expect(round).toBeLessThan(200);
    }
    expect(goneBack).toEqual([]);
    await staveJson(data, ['tracks', 'takedown', 'track-1']);
    await changes(...renamed(20_000, 20_003, 'Okapi'));
    await until(async () => [...(await found('okapi'))].join() === '3', 'the last change');
    await until(async () => [...(await found('zebra'))].join() === '1499', 'the takedown');
    expect((await found('quokka')).size).toBe(1);
    expect(told(service, 'search index shared')[0]).toMatchObject({ worker: 1, tracks: count });
    expect(told(service, 'search index ready').map(({ from }) => from)).toContain('merge');
    expect(service.output()).not.toContain('"level":"error"');
  }, 120_000);
});
