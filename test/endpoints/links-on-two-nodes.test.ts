import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Service, startService } from '../../src/app/service.ts';
import { silentLog } from '../../src/common/log.ts';
import { HttpCaller } from '../harness/http.ts';
import { type LinkServer, startLinkServer } from '../harness/shared-links.ts';
import { until } from '../harness/until.ts';

let on: LinkServer;
let second: Service;
let other: HttpCaller;
beforeAll(async () => {
  on = await startLinkServer();
  const { config, clock } = on.server;
  second = await startService({ config, clock, log: silentLog });
  other = new HttpCaller(second.address);
});
afterAll(async () => {
  other?.close();
  await second?.close();
  await on?.server.close();
});

it('a link that one node ends has ended on the other one at once, with its streams', async () => {
  const link = await on.link();
  const { streamUrl } = (await on.read(link.token)).data.items[0].track;
  const statuses = async () => {
    const paths = [`/v1/shared/${link.token}`, streamUrl.slice(on.server.address.length)];
    return Promise.all(paths.map(async (path) => (await other.send('GET', path)).status));
  };
  await until(async () => (await statuses()).every((status) => status === 200));
  await on.end(link);
  expect(await statuses()).toEqual([404, 403]);
});
