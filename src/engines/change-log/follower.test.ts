import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { ChangeEntity } from './change-log.ts';
import { follow, ShortLog, stopFollowersAfterEachTest, upTo } from './follower.test-support.ts';

stopFollowersAfterEachTest();

describe('a follower', () => {
  it('applies existing and new changes in order, each once', async () => {
    const log = new ShortLog();
    log.write(25);
    const { follower, applied } = follow(log, { batchSize: 10 });
    follower.start();
    await follower.caughtUp(25);
    await follower.caughtUp(log.write(7));
    expect(applied).toEqual(upTo(32));
    expect(follower.position).toBe(32);
    expect(follower.lag).toBe(0);
  });

  it('continues after the changes that were applied beyond those that it read', async () => {
    const log = new ShortLog();
    log.write(25);
    const starts: number[] = [];
    const { follower } = follow(log, {
      batchSize: 10,
      apply: async (changes) => {
        starts.push(changes[0]!.seq);
        // Changes may be committed and applied after the follower has read the head.
        return starts.length === 1 ? 17 : log.write(5);
      },
    });
    await follower.poll();
    expect(starts).toEqual([1, 18]);
    expect(follower.position).toBe(30);
    expect(follower.lag).toBe(0);
    expect(await follower.poll()).toBe(false);
  });

  it('begins after the given seq', async () => {
    const log = new ShortLog();
    log.write(5);
    const { follower, applied } = follow(log, { from: 3 });
    expect(await follower.poll()).toBe(true);
    expect(applied).toEqual([4, 5]);
    expect(await follower.poll()).toBe(false);
  });

  it('skips changes of other entities, and advances its position past them', async () => {
    const log = new ShortLog();
    log.write(2, 'client');
    log.write(1);
    const last = log.write(4, 'license');
    const { follower, applied } = follow(log);
    follower.start();
    await follower.caughtUp(last);
    expect(applied).toEqual([3]);
  });

  it('reads only the head while there are no changes', async () => {
    const log = new ShortLog();
    log.write(3);
    const { follower } = follow(log);
    await follower.poll();
    const { reads } = log;
    await follower.poll();
    expect(log.reads).toBe(reads);
  });

  it('tries failed changes again, and reports each failure', async () => {
    const log = new ShortLog();
    log.write(5);
    let failures = 3;
    const seen: number[] = [];
    const { follower, errors } = follow(log, {
      batchSize: 2,
      apply: async (changes) => {
        if (changes[0]!.seq === 3 && failures-- > 0) {
          throw new Error('no');
        }
        seen.push(...changes.map(({ seq }) => seq));
      },
    });
    expect(await follower.poll()).toBe(true);
    expect(follower.position).toBe(2);
    expect(follower.lag).toBe(3);
    const { behindMs } = follower;
    expect(behindMs).toBeGreaterThan(0);
    // A failed attempt does not begin the time again.
    await follower.poll();
    expect(follower.behindMs).toBeGreaterThan(behindMs);
    follower.start();
    await follower.caughtUp(5);
    expect(follower.behindMs).toBe(0);
    expect(seen).toEqual(upTo(5));
    expect(errors).toHaveLength(3);
  });

  it('continues after the log could not be read', async () => {
    const log = new ShortLog();
    const last = log.write(2);
    const head = vi.spyOn(log, 'head').mockRejectedValueOnce(new Error('busy'));
    const { follower, applied, errors } = follow(log);
    follower.start();
    await follower.caughtUp(last);
    expect(head).toHaveBeenCalled();
    expect(applied).toEqual([1, 2]);
    expect(errors).toHaveLength(1);
  });

  it('applies one batch at a time if it is polled concurrently', async () => {
    const log = new ShortLog();
    let inside = 0;
    let most = 0;
    const { follower } = follow(log, {
      batchSize: 1,
      apply: async () => {
        most = Math.max(most, ++inside);
        await new Promise(setImmediate);
        inside--;
      },
    });
    follower.start();
    log.write(5);
    await Promise.all([follower.poll(), follower.poll(), follower.poll()]);
    expect(follower.position).toBe(5);
    expect(most).toBe(1);
  });

  it('applies with a poll all changes that were committed before the call', async () => {
    const log = new ShortLog();
    log.write(1);
    const { follower, applied } = follow(log);
    const first = follower.poll();
    log.write(1);
    await Promise.all([first, follower.poll()]);
    expect(applied).toEqual([1, 2]);
  });

  it('stops after the current batch, and applies nothing more', async () => {
    const log = new ShortLog();
    log.write(10);
    const begun = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const applied: number[] = [];
    const { follower } = follow(log, {
      batchSize: 2,
      apply: async (changes) => {
        begun.resolve();
        await gate.promise;
        applied.push(...changes.map(({ seq }) => seq));
      },
    });
    follower.start();
    await begun.promise;
    const caughtUp = follower.caughtUp(10);
    const stopped = follower.stop();
    gate.resolve();
    await stopped;
    expect(applied).toEqual([1, 2]);
    expect(follower.position).toBe(2);
    await expect(caughtUp).rejects.toThrow('stopped');
    await expect(follower.caughtUp(10)).rejects.toThrow('stopped');
    expect(await follower.poll()).toBe(false);
  });

  it('reads the log immediately when it is woken, and also polls', async () => {
    const log = new ShortLog();
    let wake = () => {};
    let isWatched = false;
    const watch = (callback: () => void) => {
      wake = callback;
      isWatched = true;
      return () => {
        isWatched = false;
      };
    };
    const { follower } = follow(log, { pollMs: 60_000, watch });
    follower.start();
    await follower.caughtUp(0);
    await vi.waitFor(() => expect(isWatched).toBe(true));
    for (const count of [1, 3]) {
      const seq = log.write(count);
      for (let i = 0; i < 50; i++) wake();
      await follower.caughtUp(seq);
    }
    await follower.stop();
    expect(isWatched).toBe(false);
  });

  it('loses and repeats no change during any writes and failures', async () => {
    const step = fc.record({
      write: fc.nat(7),
      entity: fc.constantFrom<ChangeEntity>('track', 'track', 'client'),
      fails: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 12 }),
        fc.integer({ min: 1, max: 5 }),
        async (steps, batchSize) => {
          const log = new ShortLog();
          let fails = false;
          const seen: number[] = [];
          const { follower } = follow(log, {
            batchSize,
            apply: async (changes) => {
              // This change is written during the read, after the head that this poll knows.
              log.write(log.changes.length % 3 === 0 ? 1 : 0, 'client');
              if (fails) {
                throw new Error('no');
              }
              seen.push(...changes.map(({ seq }) => seq));
            },
          });
          for (const { write, entity, fails: failing } of steps) {
            fails = failing;
            log.write(write, entity);
            await follower.poll();
          }
          fails = false;
          await follower.poll();
          await follower.poll();
          expect(seen).toEqual(
            log.changes.filter(({ entity }) => entity === 'track').map(({ seq }) => seq),
          );
        },
      ),
      { numRuns: 200 },
    );
  });
});
