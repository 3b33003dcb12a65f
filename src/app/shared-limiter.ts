import type { Metrics } from '../engines/http/metrics/metrics.ts';
import type { MemoryRateLimiter } from '../engines/limits/memory-rate-limiter.ts';
import { RedisRateLimiter } from '../engines/limits/redis/rate-limiter.ts';
import type { AppContext } from './open/context.ts';

/** `attempted` resolves after the first attempt to connect. Returns undefined without Redis. */
export function openSharedLimiter(
  { config, log }: Pick<AppContext, 'config' | 'log'>,
  local: MemoryRateLimiter,
  resources: AsyncDisposableStack,
): { limiter: RedisRateLimiter; attempted: Promise<void> } | undefined {
  if (config.redisUrl === null) return undefined;
  const limiter = new RedisRateLimiter({ url: config.redisUrl, local, log });
  resources.defer(() => limiter.close());
  return { limiter, attempted: limiter.start() };
}

export function measureSharedLimiter(metrics: Metrics, limiter: RedisRateLimiter): void {
  metrics.gauge(
    'stave_rate_limit_shared',
    '1 while requests are counted over all nodes, 0 while Redis is away and each counts alone.',
    () => (limiter.isShared ? 1 : 0),
  );
  metrics.observedCounter(
    'stave_rate_limit_local_total',
    'Requests that were counted by this node alone because Redis was away.',
    () => limiter.countedLocally,
  );
}
