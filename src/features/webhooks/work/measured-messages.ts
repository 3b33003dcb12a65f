import type { Count, Metrics } from '../../../engines/http/metrics/metrics.ts';
import type { Measured } from './messages.ts';

/** Registers the metrics of messages to webhooks. Only the node that sends has other values than 0. */
export function measuredMessages(metrics: Metrics) {
  const attempts = metrics.counter(
    'stave_webhook_deliveries_total',
    'Attempts to deliver messages to webhooks, by outcome: delivered, retried later, or failed for good.',
    ['outcome'],
  );
  const [delivered, retried, failed] = ['delivered', 'retried', 'failed'].map((outcome) =>
    attempts.count([outcome]),
  ) as [Count, Count, Count];
  let pending = 0;
  /** The value of performance.now() since which changes wait that are not messages yet. */
  let behindSince: number | undefined;
  metrics.gauge(
    'stave_webhook_deliveries_pending',
    'Messages to webhooks that are not delivered yet, on the node that sends them.',
    () => pending,
  );
  metrics.gauge(
    'stave_webhook_lag_seconds',
    'Time for which the sending node has not made all messages to webhooks of what is new, for whatever reason; 0 if it has.',
    () => (behindSince === undefined ? 0 : (performance.now() - behindSince) / 1_000),
  );
  return {
    /** To be called when the thread starts. Until it says otherwise, nothing becomes messages. */
    begin() {
      behindSince ??= performance.now();
    },
    /** Takes what the thread has measured. */
    take(measured: Measured) {
      delivered.value += measured.attempts.delivered;
      retried.value += measured.attempts.pending;
      failed.value += measured.attempts.failed;
      pending = measured.pending;
      // A thread that was started again does not know how long the one before was behind.
      if (measured.behindMs === 0) behindSince = undefined;
      else behindSince = Math.min(behindSince ?? Infinity, performance.now() - measured.behindMs);
    },
    /** To be called when this node does not send any more. */
    end() {
      pending = 0;
      behindSince = undefined;
    },
  };
}
