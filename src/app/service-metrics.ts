import type { LongPolls } from '../api/changes/long-polls.ts';
import { Metrics } from '../http/metrics.ts';
import { measureStore } from '../http/store-metrics.ts';
import type { AppContext } from './context.ts';
import type { Views } from './views.ts';

/** Returns the metrics of the views and the store. */
export function serviceMetrics({ store }: AppContext, views: Views): Metrics {
  const metrics = new Metrics();
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

/** Registers the metrics of the requests that wait for changes. */
export function measuredPolls(metrics: Metrics, polls: LongPolls): LongPolls {
  metrics.gauge('stave_changes_waiting', 'Requests that wait for changes.', () => polls.size);
  metrics.gauge(
    'stave_changes_waiting_behind',
    'Numbers of the change log between the index and the waiting request that is furthest behind.',
    () => polls.behind,
  );
  return polls;
}
