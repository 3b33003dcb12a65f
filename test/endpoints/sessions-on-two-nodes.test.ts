import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Service, startService } from '../../src/app/service.ts';
import { silentLog } from '../../src/common/log.ts';
import { updateSeat } from '../../src/features/access/seats.ts';
import { HttpCaller } from '../harness/http.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { until } from '../harness/until.ts';
import { Browser, newSeat } from './sessions-support.ts';

let server: TestServer;
let second: Service;
let http: HttpCaller;
let clientId: string;
beforeAll(async () => {
  server = await startTestServer({ tracks: [] });
  const { config, clock } = server;
  second = await startService({ config, clock, log: silentLog });
  http = new HttpCaller(second.address);
  ({ clientId } = await server.createClient({ features: ['licensing'] }));
});
afterAll(async () => {
  http?.close();
  await second?.close();
  await server?.close();
});

/** The same browser at both nodes. */
async function signedIn() {
  const seat = await newSeat(server, clientId);
  const here = new Browser(server.http);
  await here.signIn(seat.token);
  const there = new Browser(http);
  there.cookie = here.cookie;
  return { seat, here, there };
}

it('is known at once to the node on which it did not begin', async () => {
  const { here, there } = await signedIn();
  const token = await there.token();
  expect([(await here.me(token)).status, (await there.me(token)).status]).toEqual([200, 200]);
});

it('begins once with a link that is used at both nodes at once', async () => {
  const { token } = await newSeat(server, clientId);
  const browsers = [new Browser(server.http), new Browser(http)];
  const answers = await Promise.all(browsers.map((one) => one.signIn(token)));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 404]);
});

it.each([
  ['signing out', (_: string, here: Browser) => here.send('DELETE', '/session')],
  ['removing the seat', (id: string) => server.operator.store.seats.remove(id, 'test')],
  ['ending the sessions', (id: string) => server.operator.store.seats.endSessions(id, 'test')],
  ['a lower role', (id: string) => updateSeat(server.operator, id, { role: 'listener' })],
])('has no tokens on the other node a second after %s', async (_, end) => {
  const { seat, here, there } = await signedIn();
  const token = await there.token();
  await end(seat.id, here);
  const endedAt = performance.now();
  await until(async () => (await there.me(token)).status === 401);
  expect(performance.now() - endedAt).toBeLessThan(1_000);
});
