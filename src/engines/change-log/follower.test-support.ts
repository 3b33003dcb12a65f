import { afterEach } from 'vitest';
import type { Change, ChangeEntity } from './change-log.ts';
import { Follower, type FollowerOptions } from './follower.ts';

/** A change log in memory. Its `seq` is strictly increasing, as the port requires. */
export class ShortLog {
  readonly changes: Change[] = [];
  reads = 0;

  write(count = 1, entity: ChangeEntity = 'track'): number {
    for (let i = 0; i < count; i++) {
      const seq = this.changes.length + 1;
      this.changes.push({
        seq,
        at: 0,
        entity,
        kind: 'updated',
        entityId: `${seq}`,
        by: 'cli:test',
        batchId: null,
        clientId: null,
        mode: null,
        changed: null,
      });
    }
    return this.changes.length;
  }

  async since(seq: number, entities: readonly ChangeEntity[], limit: number): Promise<Change[]> {
    this.reads++;
    return this.changes
      .filter((change) => change.seq > seq && entities.includes(change.entity))
      .slice(0, limit);
  }

  async head(): Promise<number> {
    return this.changes.length;
  }
}

const running: Follower[] = [];

/** Stops what `follow` has started after each test of a file. */
export function stopFollowersAfterEachTest(): void {
  afterEach(async () => {
    await Promise.all(running.splice(0).map((follower) => follower.stop()));
  });
}

export function follow(log: ShortLog, options: Partial<FollowerOptions> = {}) {
  const applied: number[] = [];
  const errors: unknown[] = [];
  const follower = new Follower({
    log,
    entities: ['track'],
    from: 0,
    apply: async (changes) => {
      applied.push(...changes.map(({ seq }) => seq));
    },
    pollMs: 1,
    onError: (error) => errors.push(error),
    ...options,
  });
  running.push(follower);
  return { follower, applied, errors };
}

export const upTo = (seq: number) => Array.from({ length: seq }, (_, i) => i + 1);
