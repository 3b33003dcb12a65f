import { statfsSync } from 'node:fs';
import { MODES } from '../common/caller.ts';
import type { ServedCertificate } from '../engines/http/connection/served-certificate.ts';
import { Metrics } from '../engines/http/metrics/metrics.ts';
import type { LongPolls } from '../features/changes/routes/long-polls.ts';
import type { Store } from '../features/store.ts';
import { type CountEvents, REJECTION_REASONS } from '../features/usage/usage.ts';
import type { AppContext } from './open/context.ts';
import type { Views } from './views.ts';

export function serviceMetrics({ store, config, clock }: AppContext, views: Views): Metrics {
  const metrics = new Metrics();
  metrics.gauge('stave_clock_seconds', 'The clock of the node, in seconds since 1970.', () => {
    return clock.now() / 1_000;
  });
  const disk = (part: 'bavail' | 'blocks') => () => {
    const { bsize, [part]: blocks } = statfsSync(config.dataFolder);
    return blocks * bsize;
  };
  const [free, size] = [disk('bavail'), disk('blocks')];
  metrics.gauge('stave_disk_free_bytes', 'Free space on the disk of the data folder.', free);
  metrics.gauge('stave_disk_size_bytes', 'Size of the disk of the data folder.', size);
  metrics.gauge('stave_tracks', 'Live tracks in the index.', () => views.catalog.size);
  metrics.gauge(
    'stave_change_log_lag',
    'Changes of tracks that the index has yet to take in.',
    () => views.catalogLag,
  );
  metrics.gauge(
    'stave_changes_feed_lag_seconds',
    'Time since the node saw the first change that its feed of changes does not show yet; 0 if it shows all.',
    () => views.feedLagMs / 1_000,
  );
  metrics.observedCounter(
    'stave_documents_read_total',
    'Documents of tracks for pages, by where they were read: the document file, memory or the database.',
    () =>
      Object.entries(views.catalog.documentState.reads).map(([from, count]) => [{ from }, count]),
  );
  measureStore(metrics, store, () => views.silence());
  return metrics;
}

export function measureCertificate(metrics: Metrics, certificate: ServedCertificate): void {
  metrics.gauge(
    'stave_tls_certificate_expiry_timestamp_seconds',
    'When the certificate that is served ends, in seconds since 1970.',
    () => certificate.endsAt / 1_000,
  );
}

export function measuredPolls(metrics: Metrics, polls: LongPolls): LongPolls {
  metrics.gauge('stave_changes_waiting', 'Requests that wait for changes.', () => polls.size);
  metrics.gauge(
    'stave_changes_waiting_behind',
    'Numbers of the change log between the index and the waiting request that is furthest behind.',
    () => polls.behind,
  );
  return polls;
}

/** Returns what counts the events of reports for the metrics. */
export function usageEventCounter(metrics: Metrics): CountEvents {
  const events = metrics.counter(
    'stave_usage_events_total',
    'Reported uses of tracks by mode and result: accepted, duplicate or why they were rejected.',
    ['mode', 'result'],
  );
  // Prometheus does not see the first value of a series as a rise, so each begins with 0.
  for (const mode of MODES) {
    for (const result of ['accepted', 'duplicate', ...REJECTION_REASONS]) {
      events.count([mode, result]);
    }
  }
  return (mode, counts) => {
    for (const [result, count] of Object.entries(counts)) events.increment([mode, result], count);
  };
}

/** @param silence for each follower of the change log, the milliseconds since it last saw the end of the log */
function measureStore(
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
