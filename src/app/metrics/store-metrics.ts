import type { Metrics } from '../../engines/http/metrics/metrics.ts';
import type { Store } from '../../features/store.ts';

/**
 * Registers the metrics of the database: whether it answers, and how old the served data may be.
 *
 * @param silence for each follower of the change log, the milliseconds since it last saw its end.
 */
export function measureStore(
  metrics: Metrics,
  store: Pick<Store, 'isReachable' | 'poolUsage'>,
  silence: () => readonly (readonly [follower: string, ms: number])[],
): void {
  metrics.gauge('stave_database_up', 'Whether the database answered when last asked.', () =>
    store.isReachable() ? 1 : 0,
  );
  metrics.gauge(
    'stave_position_unconfirmed_seconds',
    'Time since a follower last saw the end of the change log; past STAVE_STALE_LIMIT the node responds with 503.',
    () => silence().map(([follower, ms]) => [{ follower }, ms / 1_000]),
  );
  if (store.poolUsage === undefined) return;
  metrics.gauge('stave_database_connections', 'Open connections to the database.', () => {
    return store.poolUsage!().open;
  });
  metrics.gauge('stave_database_waiting', 'Calls that wait for a connection.', () => {
    return store.poolUsage!().waiting;
  });
}
