import { expect, it } from 'vitest';
import { type Me, StaveClient } from '#client';
import { collectGarbage } from '../../test/harness/collect-garbage.ts';
import type { Caller } from './callers.ts';
import { makeServer } from './server.ts';

it('leaves nothing in memory of a server that is no longer used', async () => {
  const scopes: Me['scopes'] = ['tracks', 'search', 'filters', 'playlists', 'similar', 'licensing'];
  const caller = {
    client: new StaveClient({ baseUrl: 'http://127.0.0.1:1', clientId: 'c', clientSecret: 's' }),
    me: { name: 'Acme', mode: 'test', scopes, features: ['similar', 'licensing'] },
  } as unknown as Caller;
  const heapAfter = async (count: number) => {
    for (let n = 0; n < count; n++) makeServer(caller);
    await collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  // The first ones make what all share.
  const before = await heapAfter(20);
  expect((await heapAfter(200)) - before).toBeLessThan(4_000_000);
});
