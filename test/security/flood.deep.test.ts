import { afterEach, expect, it } from 'vitest';
import { authenticate, type Fixture, startFixture, TOKEN } from '../harness/fixture-server.ts';
import { useProcessor } from '../harness/use-processor.ts';
import { expectData, expectEnvelope } from './expect-envelope.ts';
import { RawClient, type RawResponse } from './raw-client.ts';

const HOST = 'Host: localhost\r\n';
const GET_THINGS = `GET /v1/things HTTP/1.1\r\n${HOST}Authorization: Bearer ${TOKEN}\r\n\r\n`;

/** The processor time of one request during the flood, in milliseconds. */
const REQUEST_MS = 5;
/** The time for which one round of the event loop may serve requests, in milliseconds. */
const ROUND_MS = 250;

let fixture: Fixture;
const clients: RawClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await fixture.app.close();
});

async function opened(): Promise<RawClient> {
  const client = await RawClient.open(fixture.port);
  clients.push(client);
  return client;
}

const get = async (client: RawClient) => (await client.send(GET_THINGS).response())!;

/** How many requests the node can serve in one round with a whole processor, measured with one caller. */
async function servedInRound(client: RawClient): Promise<number> {
  const begun = process.threadCpuUsage();
  for (let i = 0; i < 20; i++) expectData(await get(client));
  const { user, system } = process.threadCpuUsage(begun);
  return (20 * ROUND_MS * 1_000) / (user + system);
}

it.each([
  ['whose token the node knows', true],
  ['on new connections', false],
])(
  'refuses what it cannot serve of ten times as many requests, from callers %s',
  async (_, isKnown) => {
    let requestMs = REQUEST_MS;
    fixture = await startFixture({
      overloadMs: ROUND_MS,
      authenticate: (authorization) => {
        useProcessor(requestMs);
        return authenticate(authorization);
      },
    });
    const normal = await opened();
    const count = Math.ceil(10 * (await servedInRound(normal)));
    const flooders: RawClient[] = [];
    requestMs = 0;
    for (let i = 0; i < count; i++) {
      const flooder = await opened();
      if (isKnown) expectData(await get(flooder));
      flooders.push(flooder);
    }

    requestMs = REQUEST_MS;
    const responses: RawResponse[] = [];
    for (let i = 0; i < 3; i++) {
      await Promise.all(flooders.map(async (flooder) => responses.push(await get(flooder))));
    }
    const refused = responses.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(count / 2);
    expect(refused.length).toBeLessThan(responses.length);
    for (const response of refused) expectEnvelope(response, 'unavailable');
    const retries = refused.map(({ headers }) => Number(headers['retry-after']));
    expect(retries[0]).toBe(1);
    expect(Math.max(...retries)).toBeGreaterThan(1);
    expect(Math.max(...retries)).toBeLessThanOrEqual(30);
    expect(fixture.metrics.render()).toContain(`stave_http_overloaded_total ${refused.length}\n`);

    const endedMs = performance.now();
    for (;;) {
      const sentMs = performance.now();
      if ((await get(normal)).status === 200) break;
      expect(sentMs - endedMs).toBeLessThan(1_000);
    }
    for (let i = 0; i < 20; i++) expectData(await get(normal));
  },
);
