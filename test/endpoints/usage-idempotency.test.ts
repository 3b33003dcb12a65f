import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Service, startService } from '../../src/app/service.ts';
import { newId } from '../../src/common/ids.ts';
import { silentLog } from '../../src/common/log.ts';
import { HttpCaller } from '../harness/http.ts';
import { ON_POSTGRES } from '../harness/services.ts';
import { startTestServer, type TestClient, type TestServer } from '../harness/test-server.ts';
import { usageEvent } from './usage-support.ts';

let server: TestServer;
/** Another node on the same database; absent on SQLite, which belongs to one service. */
let node: Service | undefined;
let other: HttpCaller;
let client: TestClient;
beforeAll(async () => {
  server = await startTestServer();
  const { config, clock } = server;
  node = ON_POSTGRES ? await startService({ config, clock, log: silentLog }) : undefined;
  other = new HttpCaller(node?.address ?? server.address);
  client = await server.createClient({ scopes: ['usage'], features: ['usage'] });
});
afterAll(async () => {
  other?.close();
  await node?.close();
  await server?.close();
});

/** Sends a report of one event to one of the nodes. */
async function report(
  key: string,
  event: object,
  {
    by = server.http,
    token,
    simulate,
  }: { by?: HttpCaller; token?: string; simulate?: string } = {},
) {
  const response = await by.send(
    'POST',
    '/v1/usage',
    {
      Authorization: `Bearer ${token ?? (await client.token())}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': key,
      ...(simulate !== undefined && { 'X-Stave-Simulate': simulate }),
    },
    JSON.stringify({ events: [event] }),
  );
  return { ...response, isReplayed: response.headers['idempotency-replayed'] === 'true' };
}

describe('a report of usage with a key', () => {
  it('is stored once, and both nodes repeat its response', async () => {
    const key = newId();
    const event = usageEvent(server, key);
    const first = await report(key, event);
    expect(first).toMatchObject({ status: 200, isReplayed: false });
    expect(JSON.parse(first.body.toString()).data).toMatchObject({ accepted: 1, duplicates: 0 });
    for (const by of [server.http, other]) {
      const again = await report(key, event, { by });
      expect(again).toMatchObject({ status: 200, isReplayed: true });
      expect(again.body.equals(first.body)).toBe(true);
    }
    expect((await report(key, { ...event, seconds: 1 })).status).toBe(422);
  });

  it('is done by one of 20 requests that arrive at once', async () => {
    const key = newId();
    const event = usageEvent(server, key);
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        report(key, event, { by: i % 2 === 0 ? server.http : other }),
      ),
    );
    const done = responses.filter(({ status }) => status === 200);
    expect(responses.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
    expect(done.filter(({ isReplayed }) => !isReplayed)).toHaveLength(1);
    expect(new Set(done.map(({ body }) => body.toString())).size).toBe(1);
    expect(JSON.parse(done[0]!.body.toString()).data.accepted).toBe(1);
  });

  it('is stored although its response is lost', async () => {
    const key = newId();
    const event = usageEvent(server, key);
    const lost = report(key, event, { simulate: 'lost_response' });
    await expect(lost).rejects.toThrow();
    const again = await report(key, event, { by: other });
    expect(again.isReplayed).toBe(true);
    expect(JSON.parse(again.body.toString()).data).toMatchObject({ accepted: 1, duplicates: 0 });
  });

  it('is another one in the other mode, and after 24 hours', async () => {
    const key = newId();
    const event = usageEvent(server, key);
    await report(key, event);
    const token = await client.token({ mode: 'live' });
    const live = await report(key, event, { token });
    expect(live.isReplayed).toBe(false);
    expect(JSON.parse(live.body.toString()).data.accepted).toBe(1);
    server.clock.advance(86_401);
    const late = await report(key, event, { token: await client.token({ fresh: true }) });
    expect(late.isReplayed).toBe(false);
    expect(JSON.parse(late.body.toString()).data.duplicates).toBe(1);
  });
});
