import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService } from '../../src/app/service.ts';
import { silentLog } from '../../src/common/log.ts';
import {
  addOperator,
  resetOperator,
  setPasswordByLink,
} from '../../src/features/access/operators.ts';
import { PasswordThrottle } from '../../src/features/access/password-throttle.ts';
import { Login } from '../../src/operator/console/server/login.ts';
import { HttpCaller } from '../harness/http.ts';
import { closeLimiterNodes, openLimiterNode } from '../harness/limiter-nodes.ts';
import { hasRedis, openRedis } from '../harness/redis-server.ts';
import { type LinkServer, startLinkServer } from '../harness/shared-links.ts';
import { until } from '../harness/until.ts';

const PASSWORD = 'correct horse battery';
/** The longest wait for Redis, which a busy machine does not reach. */
const BUDGET_MS = 30_000;

describe.skipIf(!hasRedis)('wrong passwords on two nodes with one Redis', () => {
  let redis: Awaited<ReturnType<typeof openRedis>>;
  let on: LinkServer;
  let throttles: PasswordThrottle[];
  beforeAll(async () => {
    redis = await openRedis();
    on = await startLinkServer({ config: { redisUrl: redis.url } });
    const nodes = [
      await openLimiterNode(redis.url, BUDGET_MS),
      await openLimiterNode(redis.url, BUDGET_MS),
    ];
    throttles = nodes.map(({ limiter }) => new PasswordThrottle(limiter));
  });
  afterAll(async () => {
    await closeLimiterNodes();
    await on?.server.close();
    await redis?.close();
  });

  it('are ten a minute, however many are sent at once, and right ones do not count', async () => {
    const tried = { network: '192.0.2.1', of: `link ${randomUUID()}` };
    const many = (count: number, isRight: boolean) =>
      Promise.all(
        Array.from({ length: count }, (_, i) => throttles[i % 2]!.try(tried, async () => isRight)),
      );
    const checked = (results: object[]) => results.filter((one) => 'isRight' in one).length;
    expect(checked(await many(10, true))).toBe(10);
    expect(checked(await many(4, false))).toBe(4);
    expect(checked(await many(6, true))).toBe(6);
    expect(checked(await many(30, false))).toBe(6);
    expect(checked(await many(2, true))).toBe(0);
    const elsewhere = { ...tried, network: '192.0.2.2' };
    expect(await throttles[0]!.try(elsewhere, async () => true)).toEqual({ isRight: true });
  });

  it('of an operator count together, until a reset', async () => {
    const context = { ...on.server.operator, by: 'test' };
    const { linkPath } = await addOperator(context, { name: 'anna', role: 'owner', hasLink: true });
    await setPasswordByLink(context, linkPath!.split('#')[1]!, PASSWORD);
    const store = context.store.operators;
    const consoles = throttles.map((throttle) => new Login({ store, throttle, log: silentLog }));
    const login = (node: number, password: string) =>
      consoles[node]!.try({ name: 'anna', password }, '192.0.2.1');
    for (let i = 0; i < 10; i++) expect(await login(i % 2, 'wrong')).toMatchObject({ status: 401 });
    expect(await login(0, PASSWORD)).toMatchObject({ status: 429 });
    expect(await login(1, PASSWORD)).toMatchObject({ status: 429 });
    await resetOperator(context, 'anna');
    expect(await login(1, PASSWORD)).toMatchObject({ operator: { name: 'anna' } });
  });

  it('of a link count together', async () => {
    const { config, clock } = on.server;
    const second = await startService({ config, clock, log: silentLog });
    const other = new HttpCaller(second.address);
    const status = async (http: HttpCaller, token: string, password: string) => {
      const body = JSON.stringify({ password });
      const headers = { 'Content-Type': 'application/json' };
      return (await http.send('POST', `/v1/shared/${token}/unlock`, headers, body)).status;
    };
    try {
      // While Redis is slow, each node counts by itself.
      await until(async () => {
        const { token } = await on.link({ password: PASSWORD });
        for (let i = 0; i < 10; i++) expect(await status(on.server.http, token, 'wrong')).toBe(401);
        return (await status(other, token, PASSWORD)) === 429;
      }, 'the other node to refuse the right password');
    } finally {
      other.close();
      await second.close();
    }
  });
});
