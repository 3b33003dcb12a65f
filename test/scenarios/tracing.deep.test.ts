import { cpSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newDatabase, removePlacesAfterTests } from '../cli/migrate-store-support.ts';
import {
  type Json,
  MAIN,
  type Serving,
  serve,
  staveJson,
  staveProcess,
  type TemporaryFolder,
  temporaryFolder,
} from '../harness/cli.ts';
import { type CollectedSpan, type Collector, startCollector } from '../harness/collector.ts';
import { freePort } from '../harness/free-port.ts';
import { ndjson, record } from '../harness/import-bench.ts';
import { POSTGRES_URL } from '../harness/services.ts';
import { until } from '../harness/until.ts';
import { wav } from '../harness/wav.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const PARENT = `00-${TRACE}-${CALLER}-01`;
/** The value of the header for the collector. */
const COLLECTOR_TOKEN = 'Bearer of the collector';
const HEADERS = `authorization=${encodeURIComponent(COLLECTOR_TOKEN)},x-tenant=music`;

removePlacesAfterTests();

let folder: TemporaryFolder;
let client: { clientId: string; testSecret: string; liveSecret: string };
beforeAll(async () => {
  folder = temporaryFolder();
  writeFileSync(folder.at('song.wav'), wav());
  const tracks = [1, 2, 3].map((n) => record(`${n}`, { audio: 'song.wav', artists: [] }));
  writeFileSync(folder.at('tracks.ndjson'), ndjson(...tracks));
  const data = folder.at('data');
  await staveJson(data, ['import', folder.at('tracks.ndjson')]);
  const scopes = ['-s', 'tracks,search,filters,playlists'];
  const terms = ['-f', 'all', '--rate-limit', '100000'];
  client = await staveJson(data, ['clients', 'create', '-n', 'A', ...scopes, ...terms]);
});
afterAll(() => folder?.[Symbol.dispose]());

let collector: Collector;
beforeEach(async () => {
  collector = await startCollector();
});
afterEach(() => collector[Symbol.asyncDispose]());

/** Starts the service with traces for the collector. */
function traced(env: Record<string, string> = {}, args: readonly string[] = []): Promise<Serving> {
  const settings = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: HEADERS,
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  };
  return serve(folder.at('data'), { ...settings, ...env }, args);
}

/** Sends requests with a token and headers of a trace. */
async function callerOf({ url, token }: Serving) {
  const authorization = `Bearer ${await token(client.clientId, client.liveSecret)}`;
  const send = async (method: string, path: string, trace: object = {}, body?: object) => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization, 'content-type': 'application/json', ...trace },
      ...(body && { body: JSON.stringify(body) }),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    return { status: response.status, bytes };
  };
  return { authorization, send };
}

/** The span of the one request to this path. */
function spanOf(path: string, { spans } = collector): CollectedSpan {
  const found = spans.filter(({ attributes }) => attributes['url.path'] === path);
  expect(found, path).toHaveLength(1);
  return found[0]!;
}

/** The spans within another one, in the order of their beginnings. */
function stepsOf({ spanId }: CollectedSpan): CollectedSpan[] {
  return collector.spans
    .filter(({ parentSpanId }) => parentSpanId === spanId)
    .sort((a, b) => a.startMs - b.startMs);
}

const linesOf = (service: Serving): Json[] =>
  service
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{"level"'))
    .map((line) => JSON.parse(line));

describe.each(['sqlite', ...(POSTGRES_URL === undefined ? [] : ['postgresql'])])('%s', (system) => {
  it('gets spans of requests, searches, statements and media, and no secret', async () => {
    const env: Record<string, string> = {};
    if (system === 'postgresql') {
      env.STAVE_DATABASE_URL = await newDatabase();
      await staveProcess(folder.at('data'), ['migrate-store'], { env });
    }
    await using service = await traced(env);
    const { authorization, send } = await callerOf(service);
    const trace = { traceparent: PARENT, tracestate: 'congo=t61rcWkgMzE' };
    const page = await send('GET', '/v1/tracks?search=track', trace);
    const [track] = JSON.parse(page.bytes.toString()).data.items;
    await send('POST', '/v1/collections', trace, { name: 'a private name' });
    const streamUrl = new URL(track.streamUrl);
    const audio = await send('GET', streamUrl.pathname + streamUrl.search, trace);
    expect([audio.status, audio.bytes.length]).toEqual([200, wav().length]);
    const tokenInPath = `/v1/tracks/${client.liveSecret}`;
    await send('GET', tokenInPath, { traceparent: PARENT.toUpperCase(), tracestate: 'a=b' });
    await service.get('/health-check');
    expect(await service.stop()).toBe(0);

    const list = spanOf('/v1/tracks');
    expect(list).toMatchObject({
      name: 'GET /v1/tracks',
      ...{ kind: 2, status: 0, traceId: TRACE, parentSpanId: CALLER },
      traceState: 'congo=t61rcWkgMzE',
      attributes: {
        'http.request.method': 'GET',
        'http.route': '/v1/tracks',
        'http.response.status_code': 200,
        'url.scheme': 'http',
        'network.protocol.version': '1.1',
        'stave.operation.id': 'listTracks',
        'stave.client.id': client.clientId,
      },
      resource: {
        'service.name': 'stave',
        'service.version': expect.stringMatching(/^\d/),
        'deployment.environment.name': 'test',
      },
    });
    const steps = stepsOf(list);
    expect(steps.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['search', 'SELECT tracks']),
    );
    expect(steps.find(({ name }) => name === 'SELECT tracks')).toMatchObject({
      kind: 3,
      traceId: TRACE,
      attributes: {
        'db.system.name': system,
        'db.operation.name': 'SELECT',
        'db.collection.name': 'tracks',
        'db.query.summary': 'SELECT tracks',
        'db.query.text': expect.stringMatching(/^select\b.*\bfrom\b/is),
      },
    });

    const created = spanOf('/v1/collections');
    const written = stepsOf(created).map(({ name }) => name);
    expect(written).toEqual(expect.arrayContaining(['transaction', 'INSERT collections']));
    for (const step of [...steps, ...stepsOf(created)]) {
      const parent = step.parentSpanId === list.spanId ? list : created;
      expect(step.startMs).toBeGreaterThanOrEqual(parent.startMs);
      expect(step.endMs).toBeLessThanOrEqual(parent.endMs);
    }

    const stream = collector.spans.find(({ name }) => name.startsWith('GET /media'))!;
    expect(stream.attributes['url.path']).toBe(streamUrl.pathname);
    expect(stream.attributes['http.route']).toMatch(/^\/media\/.*\{/);
    expect(stepsOf(stream).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['media stat', 'media read']),
    );

    const refused = collector.spans.find(({ attributes }) => attributes['stave.error.kind']);
    expect(refused).toMatchObject({
      ...{ name: 'GET /v1/tracks/{slug}', parentSpanId: undefined, traceState: undefined },
      status: 0,
      attributes: { 'http.response.status_code': 404, 'stave.error.kind': 'not_found' },
    });
    expect(refused!.traceId).not.toBe(TRACE);

    const isProbe = ({ attributes }: CollectedSpan) => attributes['url.path'] === '/health-check';
    expect(collector.spans.filter(isProbe)).toEqual([]);
    for (const { trace_id, span_id, operationId } of linesOf(service)) {
      if (operationId !== 'listTracks') continue;
      expect([trace_id, span_id]).toEqual([TRACE, list.spanId]);
    }

    expect(collector.requests[0]!.headers).toMatchObject({
      authorization: COLLECTOR_TOKEN,
      'x-tenant': 'music',
      'content-type': 'application/json',
    });
    const sent = collector.requests.map(({ body }) => body).join('\n');
    const signature = streamUrl.searchParams.get('signature')!;
    const secrets = [authorization.slice(7), client.liveSecret, signature, 'a private name'];
    for (const secret of [...secrets, '=track', streamUrl.search, COLLECTOR_TOKEN]) {
      expect(sent).not.toContain(secret);
      if (secret !== '=track') expect(service.output()).not.toContain(secret);
    }
  });
});

it('relates what requests do at the same time to each of them', async () => {
  await using service = await traced();
  const { send } = await callerOf(service);
  const words = Array.from({ length: 24 }, (_, i) => `track ${i}`);
  const traceOf = (i: number) => (i + 1).toString(16).padStart(32, '0');
  const ask = (word: string, i: number) =>
    send('GET', `/v1/tracks?search=${encodeURIComponent(word)}`, {
      traceparent: `00-${traceOf(i)}-${CALLER}-01`,
    });
  const replies = await Promise.all(words.map(ask));
  expect(replies.every(({ status }) => status === 200)).toBe(true);
  expect(await service.stop()).toBe(0);
  for (const i of words.keys()) {
    const spans = collector.spans.filter(({ traceId }) => traceId === traceOf(i));
    const [request] = spans.filter(({ kind }) => kind === 2);
    const searches = spans.filter(({ name }) => name === 'search');
    expect(searches.map(({ parentSpanId }) => parentSpanId)).toEqual([request!.spanId]);
  }
});

it('marks a failure of the service as an error, by its kind', async () => {
  await using service = await traced();
  const { send } = await callerOf(service);
  const page = await send('GET', '/v1/tracks');
  const { pathname, search } = new URL(JSON.parse(page.bytes.toString()).data.items[0].streamUrl);
  const media = folder.at('data', 'media');
  renameSync(media, folder.at('away'));
  expect((await send('GET', pathname + search)).status).toBe(503);
  renameSync(folder.at('away'), media);
  expect(await service.stop()).toBe(0);
  expect(spanOf(pathname)).toMatchObject({
    status: 2,
    attributes: { 'http.response.status_code': 503, 'error.type': 'unavailable' },
  });
});

it('follows the decision of the caller, or decides alone', async () => {
  const notSampled = { traceparent: PARENT.replace(/01$/, '00') };
  const names = async (env: Record<string, string>) => {
    await using service = await traced(env);
    const { send } = await callerOf(service);
    await send('GET', '/v1/me', notSampled);
    await send('GET', '/v1/filters', { traceparent: PARENT });
    expect(await service.stop()).toBe(0);
    const lines = linesOf(service).filter(({ trace_id }) => trace_id === TRACE);
    expect(lines).toHaveLength(2);
    const all = collector.spans.filter(({ kind }) => kind === 2).map(({ name }) => name);
    (collector.spans as CollectedSpan[]).length = 0;
    return all.sort();
  };
  const token = 'POST /v1/auth/token';
  expect(await names({})).toEqual(['GET /v1/filters', token]);
  const none = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' };
  expect(await names(none)).toEqual(['GET /v1/filters']);
  const all = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_SERVICE_NAME: 'stave-eu' };
  expect(await names(all)).toEqual(['GET /v1/filters', 'GET /v1/me', token]);
  expect(await names({ OTEL_TRACES_SAMPLER: 'always_off' })).toEqual([]);
});

it('traces the workers of a process', async () => {
  await using service = await traced({}, ['--workers', '2']);
  const { send } = await callerOf(service);
  const threads = () => new Set(collector.spans.map(({ resource }) => resource['thread.id']));
  const both = async () => {
    // Each request of a new connection may reach another worker.
    await Promise.all(
      Array.from({ length: 20 }, () => send('GET', '/v1/me', { connection: 'close' })),
    );
    return threads().size === 2;
  };
  await until(both, 'spans of both workers');
  expect(threads()).not.toContain(0);
  expect(await service.stop()).toBe(0);
});

describe('a collector', () => {
  const warnings = (service: Serving) =>
    linesOf(service).filter(({ msg }) => msg === 'spans could not be sent to the collector');

  it('that cannot be reached costs spans, and one line of the log', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    await using service = await traced({ OTEL_EXPORTER_OTLP_ENDPOINT: url });
    const { send } = await callerOf(service);
    for (let i = 0; i < 20; i++) expect((await send('GET', '/v1/me')).status).toBe(200);
    expect(await service.stop()).toBe(0);
    expect(warnings(service)).toMatchObject([
      { level: 'warn', spans: expect.any(Number), reason: 'ECONNREFUSED' },
    ]);
    expect(service.output()).not.toContain(COLLECTOR_TOKEN);
  });

  it('that refuses the spans is reported with its status alone', async () => {
    collector.status = 401;
    await using service = await traced();
    const { send } = await callerOf(service);
    expect((await send('GET', '/v1/me')).status).toBe(200);
    expect(await service.stop()).toBe(0);
    expect(warnings(service)).toMatchObject([{ reason: 401 }]);
    expect(service.output()).not.toContain(COLLECTOR_TOKEN);
  });

  it('that never responds delays neither requests nor, for long, the stop', async () => {
    collector.status = 0;
    await using service = await traced();
    const { send } = await callerOf(service);
    for (let i = 0; i < 600; i++) expect((await send('GET', '/v1/me')).status).toBe(200);
    await until(() => collector.requests.length > 0, 'the first batch');
    expect((await send('GET', '/v1/me')).status).toBe(200);
    // A stop that takes more than ten seconds ends with another code.
    expect(await service.stop()).toBe(0);
  });
});

it('says what to do if the packages are not installed', async () => {
  const root = join(MAIN, '..', '..');
  const program = folder.at('program');
  for (const part of ['bin', 'src', 'docs', 'package.json']) {
    cpSync(join(root, part), join(program, part), { recursive: true });
  }
  mkdirSync(join(program, 'node_modules'));
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (['@opentelemetry', '.stave'].includes(name)) continue;
    symlinkSync(join(root, 'node_modules', name), join(program, 'node_modules', name));
  }
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const main = join(program, 'bin', 'main.mjs');
  const ran = await staveProcess(folder.at('data'), ['serve'], { main, env });
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toMatch(/^stave: OTEL_EXPORTER_OTLP_ENDPOINT is set, and .*`npm ci`/m);
  const others = await staveProcess(folder.at('data'), ['clients', 'list'], { main, env });
  expect(others).toMatchObject({ code: 0, stderr: '' });
});
