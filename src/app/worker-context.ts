import type { OpenCounts } from '../common/memory/open-counts.ts';
import type { Metrics } from '../engines/http/metrics/metrics.ts';
import type { LocalRateLimiter } from '../engines/limits/rate-limiter.ts';
import type { SegmentColumns } from '../engines/search/segments/columns.ts';
import type { LoginThrottle } from '../features/access/login-throttle.ts';
import type { DocumentMaker } from '../features/catalog/document-copy.ts';
import type { IndexMaker } from './indexing/index-source.ts';

/** What a worker knows about its position among the workers of a process, and what it shares with them. */
export interface WorkerContext {
  /** Whether this worker merges the index, and requests copies of the documents, for all workers. */
  readonly isFirst: boolean;
  /** Counts requests for all workers together. */
  readonly rateLimiter: LocalRateLimiter;
  /** Counts failed token requests for all workers together. */
  readonly loginThrottle: LoginThrottle;
  /** Counts open responses for all workers together. */
  readonly openCounts: OpenCounts;
  readonly indexMaker: IndexMaker;
  readonly documentMaker: DocumentMaker;
  /** Called by the service when it listens. Resolves when the service may load. */
  listening(address: string, metrics: Metrics): Promise<void>;
  /** Called by the service when it is loaded. Resolves when all workers are. */
  loaded(): Promise<void>;
  /**
   * Sets the function that takes over each index that another worker has made. Calls do not overlap, an older
   * index is skipped if a newer one exists, and a failed call is repeated.
   */
  onBase(take: (columns: SegmentColumns) => Promise<void>): void;
}
