import type { AppContext } from '../../../app/open/context.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { MetricsHistory } from '../pages/metrics-history.ts';

/** What the pages of the console need. */
export interface ConsoleDependencies {
  /** Its changes are logged as those of the console. */
  context: AppContext;
  history: MetricsHistory;
  jobs: Jobs;
}
