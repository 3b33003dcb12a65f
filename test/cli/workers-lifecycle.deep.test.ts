import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { writeCertificate } from '../harness/certificate.ts';
import { type Serving, serve, staveJson, staveProcess, temporaryFolder } from '../harness/cli.ts';
import { freePort } from '../harness/free-port.ts';
import { until } from '../harness/until.ts';
import { callerOf, imported, metric, newClient, TWO, tokenOf } from './workers-support.ts';

const FAILING_WORKER = new URL('../harness/programs/failing-worker.ts', import.meta.url).href;

/** Sends the head of a request, and never its body. */
async function unfinishedRequest({ url }: Serving): Promise<Disposable> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on('error', () => {});
  const head = `POST /v1/auth/token HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: 10\r\n`;
  const asks = 'Content-Type: application/json\r\nExpect: 100-continue\r\n';
  socket.write(`${head}${asks}\r\n`);
  // The worker has begun when it requests the body.
  await once(socket, 'data');
  return { [Symbol.dispose]: () => socket.destroy() };
}

describe('the start and end of several workers', () => {
  it.each(['0', '65', '1.5', 'many', '-1'])('refuses --workers %s in one line', async (count) => {
    using folder = temporaryFolder();
    const ran = await staveProcess(folder.path, ['serve', '--workers', count]);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(/^stave: [^\n]*--workers[^\n]*1 to 64[^\n]*\n$/);
  });

  it('reports in one line what prevents a worker from starting', async () => {
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

  it('loads the demo once for both workers, and prints its clients', async () => {
    using folder = temporaryFolder();
    await using service = await serve(folder.path, { STAVE_DEMO: 'on' }, TWO);
    expect(service.output().split('Making the demo catalog')).toHaveLength(2);
    const clients = await staveJson(folder.path, ['clients', 'list']);
    expect(clients.clients ?? clients).toHaveLength(2);
    const { clientId, liveSecret } = service.printed.demo;
    using client = callerOf(service, await service.token(clientId, liveSecret));
    const totals = (await client.times(64, '/v1/tracks')).map(
      ({ body }) => JSON.parse(body).data.totalRecords,
    );
    expect(new Set(totals)).toEqual(new Set([36]));
  }, 240_000);

  it('serves HTTPS (needs openssl)', async (context) => {
    using folder = temporaryFolder();
    const certificate = writeCertificate(folder.path);
    if (certificate === undefined) return context.skip();
    const { cert, key } = certificate;
    const env = { STAVE_TLS_CERT: cert, STAVE_TLS_KEY: key };
    await using service = await serve(folder.at('data'), env, TWO);
    expect(service.url).toMatch(/^https:/);
    using client = callerOf(service, '');
    const statuses = (await client.times(40, '/health-check')).map(({ status }) => status);
    expect(statuses).toEqual(Array(40).fill(200));
  });

  it('drains all workers at SIGTERM: every open request gets a response', async () => {
    using folder = temporaryFolder();
    await imported(folder, 50);
    const created = await newClient(folder.at('data'), '--rate-limit', '1000000');
    await using service = await serve(folder.at('data'), { STAVE_LOG_LEVEL: 'warn' }, TWO);
    const token = await tokenOf(service, created);
    const statuses: number[] = [];
    const callers = Array.from({ length: 32 }, async () => {
      using client = callerOf(service, token, 1);
      const deadline = performance.now() + 60_000;
      while (performance.now() < deadline) {
        const { status, headers } = await client.get('/v1/tracks');
        statuses.push(status);
        // After `Connection: close` a client would use another node.
        if (headers.connection === 'close') return status;
      }
      throw new Error('the service never ended the connection');
    });
    await until(() => statuses.length > 1_000, 'some load');
    const begun = performance.now();
    expect(await service.stop()).toBe(0);
    expect(performance.now() - begun).toBeLessThan(10_000);
    const last = await Promise.all(callers);
    expect(last.every((status) => status === 200 || status === 503)).toBe(true);
    // At most one response per caller, which closed its connection.
    expect(statuses.filter((status) => status !== 200).length).toBeLessThanOrEqual(32);
    await expect(fetch(`${service.url}/version`)).rejects.toThrow();
  });

  it('exits at once with 1 after a second signal', async () => {
    using folder = temporaryFolder();
    await using service = await serve(folder.path, {}, TWO);
    using _unfinished = await unfinishedRequest(service);
    const ended = service.stop('SIGINT');
    await until(() => service.output().includes('stopping'), 'the stop to begin');
    service.child.kill('SIGINT');
    expect(await ended).toBe(1);
  });

  it('exits with 0 within ten seconds in spite of an unfinished request', async () => {
    using folder = temporaryFolder();
    await using service = await serve(folder.path, {}, TWO);
    using _unfinished = await unfinishedRequest(service);
    // After ten seconds it would exit with 1.
    expect(await service.stop()).toBe(0);
  });

  it('leaves no process behind when it is killed', async () => {
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

  it('exits with 1 and one line when a worker dies', async () => {
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

  it('omits a worker that does not respond from the metrics', async () => {
    using folder = temporaryFolder();
    const file = folder.at('now');
    const port = await freePort();
    const env = {
      NODE_OPTIONS: `--import ${FAILING_WORKER}`,
      STAVE_TEST_WORKER_FILE: file,
      STAVE_METRICS_PORT: String(port),
    };
    await using _service = await serve(folder.at('data'), env, TWO);
    const workers = async () => [...(await metric(port, 'stave_tracks')).keys()].join();
    const both = '{worker="0"},{worker="1"}';
    await until(async () => (await workers()) === both, 'the metrics to contain both');
    writeFileSync(file, 'hang');
    await until(async () => (await workers()) === '{worker="0"}', 'the metrics to omit the worker');
    writeFileSync(file, 'continue');
    await until(async () => (await workers()) === both, 'the metrics to contain it again');
  });
});
