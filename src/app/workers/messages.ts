import type { OpenCountsMemory } from '../../common/memory/open-counts.ts';
import type { KeyPair } from '../../engines/http/connection/served-certificate.ts';
import type { Scrape } from '../../engines/http/metrics/metrics.ts';
import type { RateLimitMemory } from '../../engines/limits/memory-rate-limiter.ts';
import type { SegmentColumns } from '../../engines/search/segments/columns.ts';
import type { LoginThrottleMemory } from '../../features/access/login-throttle.ts';
import type { NearTermSource } from '../../features/briefs/embeddings/meanings.ts';
import type { DocumentColumns } from '../../features/catalog/document-copy.ts';
import type { Config } from '../config/config.ts';
import type { IndexMaker } from '../indexing/index-source.ts';
import type { Service } from '../service.ts';

export interface WorkerStart {
  config: Config;
  /** From 0. Only worker 0 imports the demo, merges the index and requests copies of the documents. */
  number: number;
  /** Null: HTTP without TLS. */
  certificate: KeyPair | null;
  /** All workers share them. */
  counts: { requests: RateLimitMemory; failedLogins: LoginThrottleMemory; open: OpenCountsMemory };
}

/** The main thread calls these in this order. Each call rejects if the start has failed. */
export interface WorkerThread {
  /** Runs the worker. Resolves when it has been stopped, and rejects if it fails to start. */
  run(): Promise<void>;
  /** Resolves with the address. */
  listening(): Promise<string>;
  /** Lets the worker load the catalog. */
  load(): Promise<void>;
  /** Lets the worker serve, and resolves with the greeting. */
  serve(): Promise<Service['greeting']>;
  scrape(): Scrape;
  /** Does nothing: a thread that hangs does not respond. */
  respond(): void;
  endWaiting(): void;
  /** Serves another certificate from now on. */
  certify(pair: KeyPair): void;
  /** Takes over an index or a copy of the documents that was made for all workers. */
  base(columns: SegmentColumns): void;
  documents(columns: DocumentColumns): void;
  /** Completes open requests. Rejects with the error of closing. */
  stop(): Promise<void>;
}

/** The main thread makes these once for all workers. */
export interface WorkerStarter extends Omit<IndexMaker, 'close'> {
  /** Of the thread that compares phrases of briefs by meaning. */
  prepareTerms: NearTermSource['prepare'];
  nearestTerms: NearTermSource['nearest'];
  requestDocuments(isOutdated: boolean): void;
}
