import { once } from 'node:events';
import { mkdir, mkdtemp, rename, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Worker } from 'node:worker_threads';
import { CompiledQuery } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CLIENT, NOW, report, stream } from '../../../../../test/contract/usage-support.ts';
import { deliveries, importAll } from '../../../../../test/harness/deliveries.ts';
import { until } from '../../../../../test/harness/until.ts';
import { openSqliteStore } from '../../../../app/open/open-sqlite.ts';
import type { OpenWrite, WriteContext } from '../../../../common/caller.ts';
import { OperatorError } from '../../../../common/errors.ts';
import { WaitPolicy } from '../../../../common/work/wait-policy.ts';
import type { Queries } from '../../../../engines/sql/database.ts';
import type { Store } from '../../../store.ts';
import { dayOf, type UsageResult } from '../../usage.ts';

const ACCEPTED = { status: 'accepted', takenDown: false };
const PUT = 'INSERT INTO settings VALUES (?, ?) RETURNING name';

const threads: Worker[] = [];
const remember = (thread: Worker) => threads.push(thread);
const waits: string[] = [];
let folder: string;
let path: string;
let store: Store;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stave-reports-'));
  path = join(folder, 'stave.db');
  await open();
  await importAll(store, deliveries(0, 3));
  process.on('worker', remember);
});
afterEach(async () => {
  process.off('worker', remember);
  threads.length = 0;
  waits.length = 0;
  await store.close();
  await rm(folder, { recursive: true });
});

async function open(ms = 0): Promise<void> {
  const waitPolicy = new WaitPolicy({ ms, onWait: (why) => waits.push(why), onContinue: () => {} });
  store = await openSqliteStore({ path, clock: { now: () => NOW }, busyTimeoutMs: 30, waitPolicy });
}

const send = (eventId: string, finish?: WriteContext<readonly UsageResult[]>['finish']) =>
  store.usage.report(report([stream(eventId)]), {
    ...{ actor: `client:${CLIENT}`, clientId: CLIENT, mode: 'live' },
    ...(finish && { finish }),
  });
const run = async ({ queries }: OpenWrite, sql: string, ...values: unknown[]) =>
  (await (queries as Queries).execute(CompiledQuery.raw(sql, values))).rows;
/** Returns the number of streams that are counted. */
async function counted(): Promise<number> {
  const day = dayOf(NOW);
  const query = { clientId: CLIENT, mode: 'live', from: day, to: day, groupBy: 'day' } as const;
  return (await store.usage.summary(query)).totals.streams;
}

it('stores a report together with what finishes it', async () => {
  const results = await send('a', async (made, transaction) => {
    expect(made).toEqual([ACCEPTED]);
    expect(await counted()).toBe(0);
    expect(await run(transaction, PUT, 'x', '1')).toEqual([{ name: 'x' }]);
  });
  expect(results).toEqual([ACCEPTED]);
  expect([await counted(), await store.settings.get('x')]).toEqual([1, '1']);
  expect(threads).toHaveLength(1);
});

it('stores nothing of a report that is not finished, and throws the error of that', async () => {
  const fault = new Error('no');
  const failing = send('a', async (_, transaction) => {
    await run(transaction, PUT, 'x', '1');
    throw fault;
  });
  await expect(failing).rejects.toBe(fault);
  await expect(send('a', (_, tx) => run(tx, 'SELECT * FROM x').then(() => {}))).rejects.toThrow(
    'no such table: x',
  );
  expect([await counted(), await store.settings.get('x')]).toEqual([0, undefined]);
  expect(await send('a')).toEqual([ACCEPTED]);
});

it('stores one report after the other', async () => {
  let open = 0;
  const finish = async (_: unknown, transaction: OpenWrite) => {
    expect(++open).toBe(1);
    for (let n = 0; n < 3; n++) await run(transaction, 'SELECT 1');
    open--;
  };
  const names = Array.from({ length: 8 }, (_, n) => `r-${n}`);
  await Promise.all(names.map((name) => send(name, finish)));
  expect(await counted()).toBe(8);
});

it('waits for the lock of another process', async () => {
  await send('a');
  const other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  const busy = await send('b').catch((error) => error);
  expect(busy).toBeInstanceOf(OperatorError);
  expect(busy.message).toMatch(/^The database is busy: /);
  await store.close();
  await open(60_000);
  const waiting = send('b');
  await until(() => waits.length > 0);
  expect(waits).toEqual([`another process keeps ${path} locked`]);
  other.close();
  expect(await waiting).toEqual([ACCEPTED]);
});

it('fails on a full disk, and goes on when there is space', async () => {
  const limit = (pages: number) => async (_: unknown, transaction: OpenWrite) => {
    await run(transaction, `PRAGMA max_page_count = ${pages}`);
  };
  await send('a', limit(1));
  const events = Array.from({ length: 500 }, (_, n) => stream(`b-${n}`));
  await expect(store.usage.report(report(events))).rejects.toThrow(/^No space is left for the /);
  expect(await counted()).toBe(1);
  await send('a', limit(1_000_000));
  expect((await store.usage.report(report(events))).every((r) => r.status === 'accepted')).toBe(
    true,
  );
  expect(await counted()).toBe(501);
});

it('rejects the reports of a thread that ends, and starts another', async () => {
  const waiting: Promise<unknown>[] = [];
  const failing = send('a', async (_, transaction) => {
    await run(transaction, PUT, 'x', '1');
    waiting.push(send('b').catch((error) => error));
    await threads[0]!.terminate();
    await run(transaction, PUT, 'y', '1');
  });
  await expect(failing).rejects.toThrow('was ended');
  expect(await waiting[0]).toMatchObject({ message: expect.stringContaining('was ended') });
  expect([await counted(), await store.settings.get('x')]).toEqual([0, undefined]);
  expect(await send('a')).toEqual([ACCEPTED]);
  expect(threads).toHaveLength(2);
});

it('rejects the report of a thread that cannot open the file', async () => {
  await rename(path, `${path}-away`);
  await mkdir(path);
  await expect(send('a')).rejects.toThrow('cannot be opened');
  await rmdir(path);
  await rename(`${path}-away`, path);
  expect(await send('a')).toEqual([ACCEPTED]);
});

it('stores the report that is in a transaction when it is closed, and none later', async () => {
  await send('a');
  const begun = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const sending = send('b', async (_, transaction) => {
    begun.resolve();
    await gate.promise;
    await run(transaction, 'SELECT 1');
  });
  await begun.promise;
  const end = once(threads[0]!, 'exit');
  const closing = store.close();
  await expect(send('c')).rejects.toThrow('was ended');
  gate.resolve();
  expect(await sending).toEqual([ACCEPTED]);
  await Promise.all([closing, end]);
  await open();
  expect(await counted()).toBe(2);
});
