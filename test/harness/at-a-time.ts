import { expect } from 'vitest';
import type { Route } from '../../src/engines/http/route/route.ts';
import { startFeatureServer, tokenOf } from './feature-server.ts';
import { until } from './until.ts';

/**
 * Expects an operation to serve as many requests of a client at a time, and those of other clients beside them.
 *
 * @param routeWith returns the route; its store calls `read`, which resolves with `result` when it may end
 */
export async function expectAtATime<Result>(
  most: number,
  operationId: string,
  routeWith: (read: () => Promise<Result>) => Route,
  result: Result,
): Promise<void> {
  const held = Promise.withResolvers<Result>();
  let begun = 0;
  const route = routeWith(() => {
    begun++;
    return held.promise;
  });
  const server = await startFeatureServer([route]);
  const call = (client: string) => server.call(operationId, { token: tokenOf({ client }) });
  try {
    const first = Array.from({ length: most }, () => call('one'));
    await until(async () => begun === most);
    const { status, error, headers } = await call('one');
    expect([status, error.type, headers['retry-after']]).toEqual([429, 'rate_limited', '1']);
    const other = call('other');
    await until(async () => begun === most + 1);
    held.resolve(result);
    for (const response of await Promise.all([...first, other])) expect(response.status).toBe(200);
    await until(async () => (await call('one')).status === 200);
  } finally {
    held.resolve(result);
    await server.close();
  }
}
