import { mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDiskMediaStore } from '../../engines/blobs/disk/media-store.ts';
import { type MediaStore, mediaPath } from '../../engines/blobs/media-store.ts';
import { BucketLock } from './bucket-lock.ts';

const MINUTE_MS = 60_000;

let folder: string;
let signs: MediaStore;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stave-signs-'));
  signs = await openDiskMediaStore({ folder });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const clock = { now: () => Date.now() + ahead };
let ahead = 0;
beforeEach(() => {
  ahead = 0;
});

const holder = (host: string) => ({ command: 'stave backup', host, pid: 7, since: 'now' });

/** Without renewals, except by `ensure`. */
function take(
  host: string,
  { renewMs = 1e9, onWait }: { renewMs?: number; onWait?: () => void } = {},
) {
  return BucketLock.take({ signs, holder: holder(host), clock, onWait, renewMs, lookMs: 1 });
}

async function taken(host: string): Promise<BucketLock> {
  const result = await take(host);
  if (!('lock' in result)) throw new Error(`held by ${JSON.stringify(result.heldBy)}`);
  return result.lock;
}

function shown(): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.split('/')[1]!);
}

/** As if the time had passed since the sign was stored. */
function age(key: string, ms: number): void {
  const then = (Date.now() - ms) / 1_000;
  utimesSync(join(folder, mediaPath(key)), then, then);
}

it('is held by one until that releases it', async () => {
  const first = await taken('a');
  const { promise: waits, resolve: onWait } = Promise.withResolvers<void>();
  const refused = take('b', { onWait });
  await waits;
  ahead = MINUTE_MS;
  await first.ensure();
  expect(await refused).toEqual({ heldBy: expect.objectContaining(holder('a')) });
  await first[Symbol.asyncDispose]();
  expect(shown()).toEqual([]);
  await using _ = await taken('b');
});

it('is held by at most one of many that begin at once', async () => {
  const results = await Promise.all(['a', 'b', 'c', 'd'].map((host) => take(host, { renewMs: 5 })));
  const locks = results.flatMap((result) => ('lock' in result ? [result.lock] : []));
  expect(locks.length).toBeLessThanOrEqual(1);
  for (const lock of locks) await lock[Symbol.asyncDispose]();
  expect(shown()).toEqual([]);
});

it('passes to another one as soon as the sign of one that was killed expires', async () => {
  await taken('killed');
  const [sign] = shown();
  const waiting = taken('next');
  age(sign!, 3 * MINUTE_MS);
  await using _ = await waiting;
  expect(shown()).not.toContain(sign);
});

it('is held again by one that was suspended, if nobody else has taken it', async () => {
  await using lock = await taken('suspended');
  const [sign] = shown();
  age(sign!, 9 * MINUTE_MS);
  ahead = 9 * MINUTE_MS;
  await lock.ensure();
  expect(shown()).toEqual([expect.not.stringContaining(sign!)]);
});

it.each([['runs'], ['has ended']])(
  'is lost by one that was suspended, if another one %s',
  async (state) => {
    await using lock = await taken('suspended');
    age(shown()[0]!, 9 * MINUTE_MS);
    const other = await taken('other');
    if (state === 'has ended') await other[Symbol.asyncDispose]();
    ahead = 9 * MINUTE_MS;
    await expect(lock.ensure()).rejects.toThrow(/stood still for minutes, and another one/);
    await expect(lock.ensure()).rejects.toThrow(/stood still/);
    if (state === 'runs') await other.ensure();
    await other[Symbol.asyncDispose]();
  },
);

it('keeps its holder through renewals that fail', async () => {
  await using lock = await taken('a');
  const { putBytes, stat } = signs;
  ahead = MINUTE_MS;
  for (const fail of ['putBytes', 'stat'] as const) {
    Object.assign(signs, { [fail]: () => Promise.reject(new Error('unreachable')) });
    await expect(lock.ensure()).rejects.toThrow('unreachable');
    Object.assign(signs, { putBytes, stat });
  }
  await lock.ensure();
  expect(shown()).toHaveLength(1);
});
