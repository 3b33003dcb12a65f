import type { Metrics } from '../engines/http/metrics/metrics.ts';
import { measureSharedLimiter } from '../engines/http/metrics/shared-limiter-metrics.ts';
import type { LocalRateLimiter, RateLimiter } from '../engines/limits/rate-limiter.ts';
import { RedisRateLimiter } from '../engines/limits/redis/rate-limiter.ts';
import type { AppContext } from './open/context.ts';

/** Returns the limiter that counts in Redis, and its first attempt to connect; undefined without Redis. */
export function openSharedLimiter(
  { config, log }: AppContext,
  deps: {
    localLimiter: LocalRateLimiter;
    metrics: Metrics;
    resources: AsyncDisposableStack;
  },
): { limiter: RateLimiter; attempted: Promise<void> } | undefined {
  if (config.redisUrl === null) return undefined;
  const limiter = new RedisRateLimiter({ url: config.redisUrl, local: deps.localLimiter, log });
  deps.resources.defer(() => limiter.close());
  measureSharedLimiter(deps.metrics, limiter);
  return { limiter, attempted: limiter.start() };
}
