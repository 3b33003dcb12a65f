import { systemClock } from '../../src/common/clock.ts';
import type { Log } from '../../src/common/log.ts';
import { MemoryRateLimiter } from '../../src/engines/limits/memory-rate-limiter.ts';
import type { RateDecision } from '../../src/engines/limits/rate-limiter.ts';
import { RedisRateLimiter } from '../../src/engines/limits/redis/rate-limiter.ts';
import { until } from './until.ts';

/** The rate limiter of one node, and the lines that it logs. */
export class LimiterNode {
  readonly lines: string[] = [];
  readonly limiter: RedisRateLimiter;

  constructor(url: string, budgetMs?: number) {
    const note = (level: string) => (fields: object, message: string) =>
      this.lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
    const log: Log = {
      debug: note('debug'),
      info: note('info'),
      warn: note('warn'),
      error: note('error'),
    };
    this.limiter = new RedisRateLimiter({
      url,
      local: new MemoryRateLimiter({ clock: systemClock }),
      log,
      ...(budgetMs !== undefined && { budgetMs }),
    });
  }

  /** Counts `takes` requests at once; returns the results that were admitted. */
  async admitted(client: string, takes: number, limit = 600): Promise<RateDecision[]> {
    const all = Array.from({ length: takes }, async () => this.limiter.take(client, limit));
    return (await Promise.all(all)).filter(({ allowed }) => allowed);
  }

  shared(): Promise<void> {
    return until(() => this.limiter.isShared, 'the limiter to use Redis again');
  }

  unavailable(): Promise<void> {
    return until(() => !this.limiter.isShared, 'the limiter to notice that Redis is unavailable');
  }
}

const nodes: LimiterNode[] = [];

/** A started limiter that uses the Redis at the URL, and waits for it no longer than the budget. */
export async function openLimiterNode(url: string, budgetMs?: number): Promise<LimiterNode> {
  const node = new LimiterNode(url, budgetMs);
  nodes.push(node);
  await node.limiter.start();
  return node;
}

/** Closes all limiters that `openLimiterNode` opened. */
export async function closeLimiterNodes(): Promise<void> {
  await Promise.all(nodes.splice(0).map(({ limiter }) => limiter.close()));
}
