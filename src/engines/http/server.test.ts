import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../common/clock.ts';
import { silentLog } from '../../common/log.ts';
import { Metrics } from './metrics/metrics.ts';
import { Readiness } from './readiness.ts';
import type { Route } from './route/route.ts';
import { buildServer } from './server.ts';

function build(routes: Route[]) {
  return buildServer({
    routes,
    authenticate: () => {
      throw new Error('not called');
    },
    rateLimiter: { take: () => ({ allowed: true, limit: 1, remaining: 0, resetSeconds: 1 }) },
    readiness: new Readiness(),
    metrics: new Metrics(),
    clock: systemClock,
    log: silentLog,
    tls: null,
    publicUrl: () => 'https://api.example.org',
    trustProxy: false,
  });
}

describe('buildServer', () => {
  it('throws for an incomplete route, and names it', () => {
    const broken = { method: 'GET', path: '/v1/things' } as Route;
    expect(() => build([broken])).toThrow(
      'The route GET /v1/things is not served: it has no operationId',
    );
  });

  it('can be closed if it never listened or could not listen', async () => {
    await build([]).close();
    const first = build([]);
    await first.listen({ host: '127.0.0.1', port: 0 });
    const second = build([]);
    const { port } = first.server.address() as AddressInfo;
    await expect(second.listen({ host: '127.0.0.1', port })).rejects.toThrow('EADDRINUSE');
    await second.close();
    await first.close();
  });
});
