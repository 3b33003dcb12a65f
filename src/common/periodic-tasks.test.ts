import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { delivery } from '../../test/harness/catalog.ts';
import { TestClock } from '../../test/harness/clock.ts';
import { openSqliteStore } from '../storage/sqlite/open.ts';
import type { Store } from '../storage/store.ts';
import { LOG_DAYS, LogExpiry } from './log-expiry.ts';

const DAY_SECONDS = 86_400;

let folder: string;
let clock: TestClock;
let store: Store;
const started: LogExpiry[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stave-expiry-'));
  clock = new TestClock();
  store = await openSqliteStore({ path: join(folder, 'stave.db'), clock });
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((expiry) => expiry.stop()));
  await store.close();
  await rm(folder, { recursive: true });
});

function startExpiry(options: Partial<ConstructorParameters<typeof LogExpiry>[0]> = {}) {
  const errors: unknown[] = [];
  const expiry = new LogExpiry({
    log: store.changes,
    clock,
    onError: (error) => errors.push(error),
    ...options,
  });
  started.push(expiry);
  expiry.start();
  return { expiry, errors };
}

async function deliver(number: number): Promise<string> {
  const track = delivery(number);
  const session = await store.catalog.openDelivery('test', 'batch');
  await session.deliver([track]);
  await session.close();
  return track.id;
}

const kinds = async () => (await store.changes.since(0, ['track'], 100)).map(({ kind }) => kind);

describe('the expiry of the change log', () => {
  it('deletes expired changes at the start, except takedowns', async () => {
    await store.catalog.setState(await deliver(1), 'taken_down', 'test');
    clock.advance((LOG_DAYS - 1) * DAY_SECONDS);
    await deliver(2);
    clock.advance(2 * DAY_SECONDS);
    startExpiry();
    await vi.waitFor(async () => expect(await kinds()).toEqual(['taken_down', 'created']));
  });

  it('runs repeatedly', async () => {
    await deliver(1);
    startExpiry({ intervalMs: 1 });
    clock.advance((LOG_DAYS + 1) * DAY_SECONDS);
    await vi.waitFor(async () => expect(await kinds()).toEqual([]));
  });

  it('reports a failure and tries again', async () => {
    const failure = new Error('no disk');
    const expire = vi.fn().mockRejectedValueOnce(failure).mockResolvedValue(0);
    const { errors } = startExpiry({ log: { expire }, intervalMs: 1 });
    await vi.waitFor(() => expect(expire.mock.calls.length).toBeGreaterThan(2));
    expect(errors).toEqual([failure]);
  });

  it('aborts its run when it is stopped, and does not run again', async () => {
    let runs = 0;
    const expire = (_before: number, signal?: AbortSignal) => {
      runs++;
      return new Promise<number>((resolve) =>
        signal!.addEventListener('abort', () => resolve(0), { once: true }),
      );
    };
    const { expiry } = startExpiry({ log: { expire } });
    await vi.waitFor(() => expect(runs).toBe(1));
    await expiry.stop();
    expect(runs).toBe(1);
  });
});
