import { expect, it } from 'vitest';
import { startFeatureServer, tokenOf } from '../../../test/harness/feature-server.ts';
import { until } from '../../../test/harness/until.ts';
import { listCollections } from './list-collections.ts';

it('makes eight lists for a client at a time, and those of other clients', async () => {
  const held = Promise.withResolvers<{ collections: []; total: number }>();
  let begun = 0;
  const list = () => {
    begun++;
    return held.promise;
  };
  const server = await startFeatureServer([listCollections({ collections: { list } })]);
  const call = (client: string) => server.call('listCollections', { token: tokenOf({ client }) });
  try {
    const first = Array.from({ length: 8 }, () => call('one'));
    await until(async () => begun === 8);
    const { status, error, headers } = await call('one');
    expect([status, error.type, headers['retry-after']]).toEqual([429, 'rate_limited', '1']);
    const other = call('other');
    await until(async () => begun === 9);
    held.resolve({ collections: [], total: 0 });
    for (const response of await Promise.all([...first, other])) expect(response.status).toBe(200);
    await until(async () => (await call('one')).status === 200);
  } finally {
    held.resolve({ collections: [], total: 0 });
    await server.close();
  }
});
