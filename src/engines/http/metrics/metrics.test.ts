import { hostname } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { listenWith } from '../../../../test/harness/http-server.ts';
import { until } from '../../../../test/harness/until.ts';
import { rawRequest } from '../../../../test/security/raw-client.ts';
import { systemClock } from '../../../common/clock.ts';
import { OperatorError } from '../../../common/errors.ts';
import { MemoryRateLimiter } from '../../limits/memory-rate-limiter.ts';
import { route } from '../route/route.ts';
import { Metrics } from './metrics.ts';
import { type MetricsListener, startMetricsListener } from './metrics-listener.ts';

/** A sample line of the text format, as the parser of Prometheus defines it. */
const SAMPLE =
  /^[a-z_]+(?:\{[a-z]+="(?:[^"\\\n]|\\.)*"(?:,[a-z]+="(?:[^"\\\n]|\\.)*")*\})? [0-9.e+-]+$/;

describe('Metrics', () => {
  it('writes counters, gauges and histograms in the text format', () => {
    const metrics = new Metrics();
    const seen = metrics.counter('seen_total', 'Things seen.\nTwo \\ lines.', ['kind']);
    seen.increment(['a"b\\c\nd']);
    seen.increment(['plain'], 2);
    metrics.gauge('depth', 'How deep.', () => 1.5);
    metrics.gauge('sizes', 'How large.', () => [[{ of: 'x' }, 1]]);
    const took = metrics.histogram('took_seconds', 'How long.', 'what');
    took.observe('read', 0.0009);
    took.observe('read', 99);
    const text = metrics.render();
    expect(text).toContain(
      '# HELP seen_total Things seen.\\nTwo \\\\ lines.\n# TYPE seen_total counter\n',
    );
    expect(text).toContain('seen_total{kind="a\\"b\\\\c\\nd"} 1\nseen_total{kind="plain"} 2\n');
    expect(text).toContain('depth 1.5\n');
    expect(text).toContain('sizes{of="x"} 1\n');
    expect(text).toContain('took_seconds_bucket{what="read",le="0.0005"} 0\n');
    expect(text).toContain('took_seconds_bucket{what="read",le="0.001"} 1\n');
    expect(text).toContain('took_seconds_bucket{what="read",le="10"} 1\n');
    expect(text).toContain('took_seconds_bucket{what="read",le="+Inf"} 2\n');
    expect(text).toContain('took_seconds_count{what="read"} 2\n');
    expect(text.endsWith('\n')).toBe(true);
  });

  it('starts a counter without labels at zero', () => {
    const metrics = new Metrics();
    metrics.counter('seen_total', 'Things seen.');
    expect(metrics.render()).toContain('seen_total 0\n');
  });

  it('omits a gauge that cannot be read, and writes the others', () => {
    const metrics = new Metrics();
    metrics.gauge('broken', 'Broken.', () => {
      throw new Error('away');
    });
    metrics.gauge('whole', 'Whole.', () => 1);
    expect(metrics.render()).toContain('whole 1\n');
    expect(metrics.render()).not.toMatch(/^broken /m);
  });

  it('refuses a second metric of the same name', () => {
    const metrics = new Metrics();
    metrics.gauge('depth', 'How deep.', () => 1);
    expect(() => metrics.counter('depth', 'Again.')).toThrow('two metrics of the name depth');
  });
});

const listTracks = route({
  operationId: 'listTracks',
  method: 'GET',
  path: '/v1/tracks',
  tag: 'T',
  summary: 'S',
  description: 'D',
  access: 'public',
  errors: [],
  data: undefined,
  handle: () => ({ body: null, contentType: 'text/plain' }),
});

describe('startMetricsListener', () => {
  let listener: MetricsListener;
  afterEach(() => listener.close());

  it('serves the metrics of the server and of the process, only at /metrics', async () => {
    const {
      app,
      base: server,
      metrics,
    } = await listenWith({
      routes: [listTracks],
      authenticate: () => Promise.reject(new Error('not called')),
      rateLimiter: new MemoryRateLimiter({ clock: systemClock }),
    });
    await (await fetch(`${server}/v1/tracks`)).arrayBuffer();
    await app.close();
    listener = await startMetricsListener({ metrics, host: '127.0.0.1', port: 0, hostNames: [] });
    const base = `http://127.0.0.1:${listener.port}`;
    const response = await fetch(`${base}/metrics`);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const text = await response.text();
    for (const line of text.trimEnd().split('\n')) {
      expect(line.startsWith('# ') || SAMPLE.test(line), line).toBe(true);
    }
    for (const name of [
      'stave_http_requests_total{operation="listTracks",status="200"} 1',
      'stave_http_in_flight 0',
      'stave_event_loop_delay_seconds{quantile="0.5"}',
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
    ]) {
      expect(text).toContain(name);
    }
    expect((await fetch(`${base}/`)).status).toBe(404);
    expect((await fetch(`${base}/metrics`, { method: 'POST' })).status).toBe(405);
  });

  it('renders the metrics once for all requests within a second', async () => {
    let rendered = 0;
    const metrics = { render: async () => `rendered ${++rendered}\n` };
    listener = await startMetricsListener({ metrics, host: '127.0.0.1', port: 0, hostNames: [] });
    const url = `http://127.0.0.1:${listener.port}/metrics`;
    const read = async () => (await fetch(url)).text();
    const startedMs = performance.now();
    const texts = await Promise.all(Array.from({ length: 20 }, read));
    const seconds = Math.floor((performance.now() - startedMs) / 1_000);
    expect(new Set(texts).size).toBeLessThanOrEqual(seconds + 1);
    await until(async () => (await read()) !== texts[0]);
  });

  it('answers 503 if the metrics cannot be read, and reads them again for the next request', async () => {
    let isBroken = true;
    const metrics = {
      render: async () => {
        if (isBroken) throw new Error('no worker');
        return 'up 1\n';
      },
    };
    listener = await startMetricsListener({ metrics, host: '127.0.0.1', port: 0, hostNames: [] });
    const url = `http://127.0.0.1:${listener.port}/metrics`;
    const refused = await fetch(url);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('1');
    isBroken = false;
    expect(await (await fetch(url)).text()).toBe('up 1\n');
  });

  it.each([
    ['127.0.0.1', 200],
    ['127.0.0.1:9464', 200],
    ['[::1]:9464', 200],
    ['localhost', 200],
    ['node-1:9464', 200],
    [hostname(), 200],
    ['Stave.Monitoring.svc:9464', 200],
    ['evil.example.com', 421],
    ['127.0.0.1.example.com', 421],
    ['localhost.example.com', 421],
  ])('answers to the Host %s with %i', async (host, status) => {
    const settings = { host: '127.0.0.1', port: 0, hostNames: ['stave.monitoring.SVC'] };
    listener = await startMetricsListener({ metrics: new Metrics(), ...settings });
    const { status: got } = await rawRequest(
      listener.port,
      `GET /metrics HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    );
    expect(got).toBe(status);
  });

  it('throws a one-line error if it cannot listen', async () => {
    const metrics = new Metrics();
    listener = await startMetricsListener({ metrics, host: '127.0.0.1', port: 0, hostNames: [] });
    const again = startMetricsListener({
      metrics,
      host: '127.0.0.1',
      port: listener.port,
      hostNames: [],
    });
    await expect(again).rejects.toThrow(OperatorError);
    await expect(again).rejects.toThrow(
      `Metrics cannot listen on 127.0.0.1:${listener.port} (EADDRINUSE): set STAVE_METRICS_PORT to a free port of this machine.`,
    );
  });
});
