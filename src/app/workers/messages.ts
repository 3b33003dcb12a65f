import type { OpenCountsMemory } from '../../common/memory/open-counts.ts';
import type { SerializedError } from '../../common/threads/serialized-error.ts';
import type { Scrape } from '../../engines/http/metrics/metrics.ts';
import type { RateLimitMemory } from '../../engines/limits/memory-rate-limiter.ts';
import type { ChangedSegment } from '../../engines/search/build/changed-segment.ts';
import type { MergeInput } from '../../engines/search/merge/merge.ts';
import type { SegmentColumns } from '../../engines/search/segments/columns.ts';
import type { LoginThrottleMemory } from '../../features/access/login-throttle.ts';
import type { DocumentColumns } from '../../features/catalog/document-copy.ts';
import type { Config } from '../config/config.ts';
import type { Service } from '../service.ts';

/** The data with which the main thread starts a worker. */
export interface WorkerStart {
  config: Config;
  /** The number of the worker, from 0. Only worker 0 imports the demo, merges the index and requests copies of the documents. */
  number: number;
  /** The counts that all workers share. */
  counts: { requests: RateLimitMemory; failedLogins: LoginThrottleMemory; open: OpenCountsMemory };
}

/** A request of a worker for a segment of the index. */
export type IndexAsk =
  | { kind: 'open' }
  | { kind: 'build'; notBefore: number }
  | { kind: 'merge'; input: MergeInput }
  | { kind: 'changes'; after: number };

/** The response to a request. Only a segment of changes has removed tracks. */
export type IndexMade = Pick<ChangedSegment, 'columns'> & Partial<ChangedSegment>;

/** A message to a worker; `id` is the id of the request that it responds to. */
export type ToWorker =
  | { kind: 'load' | 'serve' | 'end waiting' | 'stop' }
  | { kind: 'made'; id: number; made: IndexMade }
  | { kind: 'not made'; id: number; fault: SerializedError }
  | { kind: 'base'; columns: SegmentColumns }
  | { kind: 'documents'; columns: DocumentColumns }
  | { kind: 'scrape'; id: number };

/** A message from a worker. It sends them in this order while it starts, serves and stops. */
export type FromWorker =
  | { kind: 'listening'; address: string }
  | { kind: 'loaded' }
  | { kind: 'serving'; greeting: Service['greeting'] }
  | { kind: 'stopped'; fault?: SerializedError }
  | { kind: 'failed'; fault: SerializedError }
  | { kind: 'index'; id: number; ask: IndexAsk }
  | { kind: 'documents'; isOutdated: boolean }
  | { kind: 'scraped'; id: number; scrape: Scrape };
