import { once } from 'node:events';
import { mkdir, mkdtemp, rename, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { deliveries, importAll } from '../../test/harness/deliveries.ts';
import { trackId } from '../../test/harness/stores.ts';
import { until } from '../../test/harness/until.ts';
import { serveUsage, type UsageServer } from '../../test/harness/usage-server.ts';
import { systemClock as clock, DAY_MS } from '../common/clock.ts';
import { newId } from '../common/ids.ts';
import type { Store } from '../features/store.ts';
import { openSqliteStore } from './open/open-sqlite.ts';

const threads: Worker[] = [];
const remember = (thread: Worker) => threads.push(thread);
let folder: string;
let path: string;
let node: UsageServer;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stave-reports-'));
  path = join(folder, 'stave.db');
  process.on('worker', remember);
  node = await open();
  await importAll(node.store, deliveries(0, 3));
});
afterEach(async () => {
  process.off('worker', remember);
  threads.length = 0;
  await node.close();
  await rm(folder, { recursive: true });
});

/** Called when a report has been sent to the thread. */
let onSent = () => {};

async function open(): Promise<UsageServer> {
  const store = await openSqliteStore({ path, clock, busyTimeoutMs: 30 });
  const runApart: Store['runApart'] = (...given) => {
    const running = store.runApart!(...given);
    onSent();
    return running;
  };
  return serveUsage({ ...store, runApart });
}

/** Resolves when the next report has been sent to the thread. */
const nextSent = () =>
  new Promise<void>((resolve) => {
    onSent = resolve;
  });

const event = (eventId: string, members: object = {}) => ({
  eventId,
  type: 'stream',
  trackId: trackId(0),
  occurredAt: new Date(clock.now() - 60_000).toISOString(),
  seconds: 42,
  ...members,
});
const some = (name: string, count: number) =>
  Array.from({ length: count }, (_, n) => event(`${name}-${n}`));
const send = (events: object[], headers: Record<string, string> = {}) =>
  node.call('reportUsage', { body: { events }, headers });
/** Returns the status of the response to a report of one event. */
const statusOf = async (eventId: string) => (await send([event(eventId)])).status;

/** Returns the number of streams that are counted. */
async function counted(): Promise<number> {
  const day = Math.floor(clock.now() / DAY_MS);
  const days = { from: day - 1, to: day, groupBy: 'day' } as const;
  const summary = await node.store.usage.summary({ clientId: 'one', mode: 'test', ...days });
  return summary.totals.streams;
}

it('stores what it has acknowledged, and its response for the key', async () => {
  const key = { 'Idempotency-Key': newId() };
  const sent = some('a', 500);
  const first = await send(sent, key);
  expect(first.status).toBe(200);
  expect(first.data).toMatchObject({ received: 500, accepted: 500 });
  const again = await send(sent, key);
  expect(again.headers['idempotency-replayed']).toBe('true');
  expect(again.data).toEqual(first.data);
  expect(await counted()).toBe(500);
  expect(threads).toHaveLength(1);
});

it('refuses a report while another process keeps the file locked', async () => {
  await statusOf('a');
  const other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  const key = { 'Idempotency-Key': newId() };
  expect((await send([event('b')], key)).status).toBe(503);
  other.close();
  await until(async () => (await send([event('b')], key)).status === 200);
  expect(await counted()).toBe(2);
});

/** Sets the greatest size of the database for the connection of the thread. */
async function limitPages(pages: number): Promise<void> {
  const kysely = JSON.stringify(import.meta.resolve('kysely'));
  const source = `
    import { CompiledQuery } from ${kysely};
    export const run = (database, sql) => database.queries.execute(CompiledQuery.raw(sql, []));`;
  const module = new URL(`data:text/javascript,${encodeURIComponent(source)}`);
  await node.store.runApart!(module, `PRAGMA max_page_count = ${pages}`);
}

it('fails on a full disk, and goes on when there is space', async () => {
  await statusOf('a');
  await limitPages(1);
  const full = await send(some('b', 500));
  expect(full.status).toBeGreaterThanOrEqual(500);
  expect(await counted()).toBe(1);
  await limitPages(1_000_000);
  expect((await send(some('b', 500))).data).toMatchObject({ accepted: 500 });
  expect(await counted()).toBe(501);
});

it('fails the reports of a thread that ends, and starts another', async () => {
  await statusOf('a');
  const sent = nextSent();
  const sending = send(some('b', 500));
  await sent;
  await threads[0]!.terminate();
  expect((await sending).status).toBe(500);
  // The thread may have ended between the commit and its answer.
  expect([1, 501]).toContain(await counted());
  expect(await statusOf('c')).toBe(200);
  expect(threads).toHaveLength(2);
});

it('fails a report if the thread cannot open the file', async () => {
  await rename(path, `${path}-away`);
  await mkdir(path);
  expect(await statusOf('a')).toBe(500);
  await rmdir(path);
  await rename(`${path}-away`, path);
  expect(await statusOf('a')).toBe(200);
});

it('stores the report that has begun when the store is closed, and none later', async () => {
  await statusOf('a');
  const sent = nextSent();
  const sending = send(some('b', 500));
  await sent;
  const end = once(threads[0]!, 'exit');
  const closing = node.store.close();
  expect(await statusOf('c')).toBe(500);
  expect((await sending).status).toBe(200);
  await Promise.all([closing, end]);
  await node.close();
  node = await open();
  expect(await counted()).toBe(501);
});
