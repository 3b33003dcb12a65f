import type { Store } from '../storage/store.ts';
import type { Metrics } from './metrics.ts';

/** What the node tells of the system of record: whether it answers, and how old what is served may be. */
export function measureStore(
  metrics: Metrics,
  store: Pick<Store, 'isReachable' | 'load'>,
  follower: { readonly unconfirmedMs: number },
): void {
  metrics.gauge('stave_database_up', 'Whether the database answered when last asked.', () =>
    store.isReachable() ? 1 : 0,
  );
  metrics.gauge(
    'stave_position_unconfirmed_seconds',
    'Time since the node last saw the end of the change log; past STAVE_STALE_LIMIT it answers 503.',
    () => follower.unconfirmedMs / 1_000,
  );
  if (store.load === undefined) return;
  metrics.gauge('stave_database_connections', 'Open connections to the database.', () => {
    return store.load!().open;
  });
  metrics.gauge('stave_database_waiting', 'Calls that wait for a connection.', () => {
    return store.load!().waiting;
  });
}
