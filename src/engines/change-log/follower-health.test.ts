import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { follow, ShortLog, stopFollowersAfterEachTest } from './follower.test-support.ts';

stopFollowersAfterEachTest();

/** The time that the follower reads. The real time passes between any two readings. */
let nowMs = 1_000;
beforeEach(() => {
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe('a follower', () => {
  it('reports how long it has not seen the end of the log', async () => {
    const log = new ShortLog();
    log.write(5);
    const { follower, errors } = follow(log);
    const unseen = async () => {
      await follower.poll();
      return follower.unconfirmedMs > 0;
    };
    expect(await unseen()).toBe(false);
    expect(await unseen()).toBe(false);
    log.head = () => Promise.reject(new Error('away'));
    nowMs += 5;
    expect(await unseen()).toBe(true);
    log.head = async () => log.changes.length;
    expect(await unseen()).toBe(false);
    // If the database lost changes that the follower has applied, its head confirms nothing.
    log.changes.length = 3;
    nowMs += 5;
    expect(await unseen()).toBe(true);
    expect(errors.at(-1)).toMatchObject({ name: 'LogWentBack' });
    expect(follower.position).toBe(5);
  });

  it('is stalled if batches fail, but not while it applies a batch', async () => {
    const log = new ShortLog();
    log.write(3);
    const gate = Promise.withResolvers<void>();
    let isBroken = false;
    const { follower } = follow(log, {
      batchSize: 2,
      apply: async () => {
        await gate.promise;
        if (isBroken) throw new Error('no');
      },
    });
    const polled = follower.poll();
    await vi.waitFor(() => expect(log.reads).toBe(1));
    const { stalledMs } = follower;
    nowMs += 20;
    expect(follower.stalledMs).toBe(stalledMs);
    expect(follower.unconfirmedMs).toBeGreaterThan(stalledMs);
    gate.resolve();
    await polled;
    expect(follower.stalledMs).toBe(0);

    isBroken = true;
    log.write(1);
    nowMs += 20;
    await follower.poll();
    expect(follower.stalledMs).toBe(20);
    isBroken = false;
    await follower.poll();
    expect(follower.stalledMs).toBe(0);
  });
});
