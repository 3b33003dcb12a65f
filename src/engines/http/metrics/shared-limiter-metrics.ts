import type { SharedRateLimiter } from '../../limits/rate-limiter.ts';
import type { Metrics } from './metrics.ts';

/** Registers the metrics of the shared rate limiter. A node without Redis does not have them. */
export function measureSharedLimiter(metrics: Metrics, limiter: SharedRateLimiter): void {
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
