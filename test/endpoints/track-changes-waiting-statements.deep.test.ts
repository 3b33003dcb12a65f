import { Agent, get } from 'node:http';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { setClientEnabled } from '../../src/features/access/clients.ts';
import { deliveries, delivery } from '../harness/catalog.ts';
import { ON_POSTGRES } from '../harness/services.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { setTrackState } from '../harness/track-state.ts';
import { until } from '../harness/until.ts';
import { readerOf } from './changes-support.ts';

const CLIENTS = 100;
/** As many as may wait of one client. */
const OF_CLIENT = 10;
const REQUESTS = CLIENTS * OF_CLIENT;
/** The part of them that waits at the same time. On a busy machine, the others are just sent again. */
const PART = 0.9;
/** The polls of the change log during which statements are counted: a few seconds. */
const POLLS = 60;
/** A wait lasts 30 s, so few measurements are disturbed by the end of one. */
const MAX_TRIES = 20;

/** Every way in which this process executes a statement. */
const spies = ON_POSTGRES
  ? [vi.spyOn(pg.Client.prototype, 'query')]
  : [
      ...(['all', 'get', 'run', 'iterate'] as const).map((name) =>
        vi.spyOn(StatementSync.prototype, name),
      ),
      vi.spyOn(DatabaseSync.prototype, 'exec'),
    ];
const statements = () => spies.reduce((sum, { mock }) => sum + mock.calls.length, 0);

let server: TestServer;
const agent = new Agent({ keepAlive: true });
beforeAll(async () => {
  server = await startTestServer({ tracks: deliveries(3) });
});
afterAll(async () => {
  agent.destroy();
  await server?.close();
});

/** The number of requests that were sent so far, and of those that were answered or refused. */
let sent = 0;
let ended = 0;

/** Sends a request that waits for events of the type until one comes. Returns the types of the events. */
async function waitFor(type: string, cursor: string, token: string): Promise<string[]> {
  for (;;) {
    const path = `/v1/tracks/changes?cursor=${cursor}&types=${type}&tracks=false&wait=30`;
    const headers = { authorization: `Bearer ${token}` };
    sent++;
    const { data } = await new Promise<{ data: { items?: { type: string }[] } }>(
      (resolve, reject) => {
        get(server.address + path, { agent, headers }, (response) => {
          json(response).then(resolve as never, reject);
        }).on('error', reject);
      },
    );
    ended++;
    // A busy node refuses requests at times, and asks to repeat them.
    if (data.items === undefined) await sleep(1_000);
    else if (data.items.length > 0) return data.items.map((item) => item.type);
  }
}

function waiting(): number {
  const metrics = server.service.metrics.render();
  return Number(/^stave_changes_waiting (\d+)$/m.exec(metrics)![1]);
}

/** Whether each request that was sent and has not ended waits already, so that none executes its own statements. */
function areAllWaiting(): boolean {
  return waiting() === sent - ended;
}

/**
 * Counts the statements from one poll of the change log to another. Between them, a track that nobody waits for is
 * delivered, and a client is disabled.
 */
async function statementsWhilePolling(): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    await until(areAllWaiting, 'the requests that were sent to wait');
    const before = { sent, ended, statements: statements() };
    const polls = vi.spyOn(server.service.context.store.changes, 'head');
    await server.deliver([delivery(10 + attempt, { bpm: String(60 + statements()) })]);
    const { clientId } = await server.createClient();
    await setClientEnabled({ ...server.operator, by: 'test:harness' }, clientId, false);
    await until(() => polls.mock.calls.length >= POLLS, 'the polls');
    polls.mockRestore();
    if (sent === before.sent && ended === before.ended) return statements() - before.statements;
    if (attempt === MAX_TRIES) throw new Error('requests began or ended during each measurement');
  }
}

it('costs no statements, whether none or a thousand requests wait', async () => {
  const alone = await statementsWhilePolling();
  const cursor = await (await readerOf(server)).end();
  const waits: Promise<string[]>[] = [];
  for (let n = 0; n < CLIENTS; n++) {
    const client = await server.createClient({ scopes: ['changes'], features: ['changes'] });
    const token = await client.token();
    waits.push(
      ...Array.from({ length: OF_CLIENT }, () => waitFor('track.taken_down', cursor, token)),
    );
    // A node refuses a burst of a thousand requests.
    await until(() => waiting() >= PART * (waits.length - OF_CLIENT));
  }
  await until(() => waiting() >= PART * REQUESTS, 'a thousand requests that wait');
  // On a busy machine, the polls take longer, and other tasks execute more statements meanwhile.
  const added: number[] = [];
  while (added.length < 5 && !added.some((count) => count < REQUESTS / 4)) {
    added.push((await statementsWhilePolling()) - alone);
  }
  // One statement for each request would add a thousand each time.
  expect(Math.min(...added), `${alone} statements alone`).toBeLessThan(REQUESTS / 4);
  const before = statements();
  await setTrackState(server.operator.store, delivery(0).id, 'taken_down', 'test:harness');
  expect(new Set((await Promise.all(waits)).flat())).toEqual(new Set(['track.taken_down']));
  expect(statements() - before).toBeLessThan(REQUESTS / 4);
});
