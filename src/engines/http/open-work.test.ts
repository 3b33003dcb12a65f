import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { TestClock } from '../../../test/harness/clock.ts';
import { startFeatureServer, tokenOf } from '../../../test/harness/feature-server.ts';
import { ADAPTERS } from '../../../test/harness/store-adapters.ts';
import { THING_ROUTE } from '../../../test/harness/thing-route.ts';
import { route } from './route/route.ts';

it('is complete before the server has closed, although the caller has left', async () => {
  const [adapter] = ADAPTERS;
  const place = await adapter!.provide();
  const store = await adapter!.open(place.location, new TestClock());
  const entered = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const order: string[] = [];
  const postThing = route({
    ...THING_ROUTE,
    idempotent: true,
    async handle() {
      entered.resolve();
      await held.promise;
      order.push('done');
      return { data: {} };
    },
  });
  const server = await startFeatureServer([postThing], { idempotency: store.idempotency });
  const leaving = new AbortController();
  const sent = fetch(`${server.base}/v1/things`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${tokenOf()}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': 'one',
    },
    body: '{}',
    signal: leaving.signal,
  });
  await entered.promise;
  leaving.abort();
  await expect(sent).rejects.toThrow();
  const ended = once(server.app.server, 'close');
  const closed = server.close().then(() => order.push('closed'));
  await ended;
  // More than a server without open work needs to close after its last connection.
  for (let turn = 0; turn < 100; turn++) await nextTurn();
  held.resolve();
  await closed;
  expect(order).toEqual(['done', 'closed']);
  await store.close();
  await place.dispose();
});
