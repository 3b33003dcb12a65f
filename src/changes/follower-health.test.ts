import { describe, expect, it, vi } from 'vitest';
import { follow, ShortLog } from './follower.test-support.ts';

describe('a follower', () => {
  it('reports how long it has not seen the end of the log', async () => {
    const log = new ShortLog();
    log.write(5);
    const { follower, errors } = follow(log);
    const unseen = async () => {
      const before = performance.now();
      await follower.poll();
      return follower.unconfirmedMs > performance.now() - before;
    };
    expect(await unseen()).toBe(false);
    expect(await unseen()).toBe(false);
    log.head = () => Promise.reject(new Error('away'));
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await unseen()).toBe(true);
    log.head = async () => log.changes.length;
    expect(await unseen()).toBe(false);
    // If the database lost changes that the follower has applied, its head confirms nothing.
    log.changes.length = 3;
    await new Promise((resolve) => setTimeout(resolve, 5));
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
    const later = async () => {
      const before = performance.now();
      await new Promise((resolve) => setTimeout(resolve, 20));
      return before;
    };
    const polled = follower.poll();
    await vi.waitFor(() => expect(log.reads).toBe(1));
    const { stalledMs } = follower;
    await later();
    expect(follower.stalledMs).toBe(stalledMs);
    expect(follower.unconfirmedMs).toBeGreaterThan(stalledMs);
    const taken = performance.now();
    gate.resolve();
    await polled;
    expect(follower.stalledMs).toBeLessThanOrEqual(performance.now() - taken);

    isBroken = true;
    log.write(1);
    const broken = await later();
    await follower.poll();
    expect(follower.stalledMs).toBeGreaterThanOrEqual(performance.now() - broken - 1);
    isBroken = false;
    const mended = performance.now();
    await follower.poll();
    expect(follower.stalledMs).toBeLessThanOrEqual(performance.now() - mended);
  });
});
