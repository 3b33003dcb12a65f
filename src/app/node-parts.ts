import { join } from 'node:path';
import type { Clock } from '../common/clock.ts';
import type { Log } from '../common/log.ts';
import { OpenCounts } from '../common/memory/open-counts.ts';
import type { WaitPolicy } from '../common/work/wait-policy.ts';
import { loadExplorer } from '../docs-site/explorer/explorer-routes.ts';
import type { ServedCertificate } from '../engines/http/connection/served-certificate.ts';
import type { Metrics } from '../engines/http/metrics/metrics.ts';
import { Readiness } from '../engines/http/readiness.ts';
import { MemoryRateLimiter } from '../engines/limits/memory-rate-limiter.ts';
import { resolverFor } from '../engines/net/endpoint-url.ts';
import type { SegmentColumns } from '../engines/search/segments/columns.ts';
import { LoginThrottle } from '../features/access/login-throttle.ts';
import { PasswordThrottle } from '../features/access/password-throttle.ts';
import { Briefs } from '../features/briefs/briefs.ts';
import { embedderChoice } from '../features/briefs/embeddings/choice.ts';
import {
  Meanings,
  type NearTermSource,
  nearTermThread,
} from '../features/briefs/embeddings/meanings.ts';
import type { DocumentMaker } from '../features/catalog/document-copy.ts';
import { DocumentFile } from '../features/catalog/store/disk/document-file.ts';
import type { Demo } from '../features/demo/import-demo.ts';
import { PdfMaker } from '../features/licensing/pdf/pdf-maker.ts';
import { measureLicenseKeys, measurePdfs } from '../features/licensing/work/licensing-metrics.ts';
import { EndpointUrls } from '../features/webhooks/routes/webhook-routes.ts';
import { backgroundWork } from './background-work.ts';
import type { Config } from './config/config.ts';
import { DocumentJobs } from './indexing/document-copies.ts';
import { IndexJobs, type IndexThread } from './indexing/index-jobs.ts';
import type { IndexMaker } from './indexing/index-source.ts';
import type { StartConsole } from './listen.ts';
import { serviceMetrics } from './metrics.ts';
import type { AppContext } from './open/context.ts';
import { DOCUMENTS_FILE, VECTORS_FILE } from './open/data-folder.ts';
import { locationOf } from './open/open-store.ts';
import { measureSharedLimiter, openSharedLimiter } from './shared-limiter.ts';
import { streamPolicy } from './stream-policy.ts';
import { Views } from './views.ts';

/** The position of a worker among the workers of a process, and the parts that it shares with them. */
export interface WorkerContext {
  /** Whether this worker merges the index, and requests copies of the documents, for all workers. */
  readonly isFirst: boolean;
  /** This and the next two count for all workers together. */
  readonly rateLimiter: MemoryRateLimiter;
  readonly loginThrottle: LoginThrottle;
  readonly openCounts: OpenCounts;
  readonly indexMaker: IndexMaker;
  readonly documentMaker: DocumentMaker;
  /** The thread of all workers. */
  readonly nearTerms: NearTermSource;
  /** Null: HTTP without TLS. */
  readonly certificate: ServedCertificate | null;
  /** Resolves when the service may load. */
  listening(address: string, metrics: Metrics): Promise<void>;
  /** Resolves when all workers are loaded. */
  loaded(): Promise<void>;
  /**
   * Sets the function that takes over each index that another worker has made. Calls do not overlap, an older
   * index is skipped if a newer one exists, and a failed call is repeated.
   */
  onBase(take: (columns: SegmentColumns) => Promise<void>): void;
}

export interface ServiceDependencies {
  config: Config;
  clock: Clock;
  log: Log;
  /** Present if the service is one of several workers in its process. */
  worker?: WorkerContext;
  /** As in `IndexJobs`. */
  opening?: IndexThread | undefined;
  /** Ends the wait for the database; the start then fails. */
  stop?: AbortSignal;
  /** The name servers (`ADDRESS:PORT`) for the addresses of webhooks. Default: those of the machine. */
  nameServers?: readonly string[];
  /** Needed if the configuration requests the console. */
  startConsole?: StartConsole;
  /** Default: where `npm run build` writes the explorer. */
  explorerFolder?: URL;
}

export type NodeParts = Awaited<ReturnType<typeof openParts>>;

/** The parts are empty, and do not run yet. */
export async function openParts(
  context: AppContext,
  {
    deps: { worker, opening, nameServers, explorerFolder },
    waitPolicy,
    resources,
  }: { deps: ServiceDependencies; waitPolicy: WaitPolicy; resources: AsyncDisposableStack },
) {
  const { config, clock, store, log } = context;
  const isFirst = worker?.isFirst ?? true;
  const streams = await streamPolicy(config);
  store.catalog.useStreams(streams);
  const location = locationOf(config);
  const from = await store.changes.head();
  const language = config.catalogLanguage;
  const jobs = worker
    ? undefined
    : new IndexJobs({ location, clock, log, waitPolicy, language, opening });
  // The migrations have been executed, and what is changed from here on is followed from the log.
  if (opening !== undefined) jobs?.begin();
  const views = new Views(context, {
    from,
    maker: worker?.indexMaker ?? jobs!,
    documentMaker: worker?.documentMaker ?? new DocumentJobs({ location, streams, clock, log }),
    openDocuments: (columns) =>
      DocumentFile.open(join(config.dataFolder, DOCUMENTS_FILE), columns, log),
    isFirst,
  });
  resources.use(views);
  const metrics = serviceMetrics(context, views);
  const openCounts = worker?.openCounts ?? new OpenCounts();
  const work = backgroundWork(context, {
    ...{ views, metrics, isFirst, openCounts, streamPolicy: streams, nameServers },
  });
  resources.defer(() => work.stop());
  const localLimiter = worker?.rateLimiter ?? new MemoryRateLimiter({ clock });
  const sharedLimiter = openSharedLimiter(context, localLimiter, resources);
  if (sharedLimiter !== undefined) measureSharedLimiter(metrics, sharedLimiter.limiter);
  const rateLimiter = sharedLimiter?.limiter ?? localLimiter;
  const readiness = new Readiness({
    isStale: () => views.silence().some(([, ms]) => ms > config.staleLimitSeconds * 1_000),
  });
  readiness.drained.addEventListener('abort', () => {
    views.bell.end();
    work.drain();
  });
  const pdfs = new PdfMaker();
  measurePdfs(metrics, pdfs);
  measureLicenseKeys(metrics, views.licenseKeys, clock);
  resources.defer(() => pdfs.close());
  const choice = embedderChoice(config.embeddings);
  const vectors = join(config.dataFolder, VECTORS_FILE);
  const ownTerms = worker ? undefined : nearTermThread(choice, vectors);
  resources.defer(() => ownTerms?.close());
  const meanings = new Meanings(choice, worker?.nearTerms ?? ownTerms, log);
  measureMeanings(metrics, meanings);
  const { webhookTargets: targets } = config;
  /** Set when the node listens, and when it serves. */
  const known: { address: string; demo: Demo | undefined } = { address: '', demo: undefined };
  return {
    views,
    metrics,
    work,
    sharedLimiter,
    rateLimiter,
    passwordThrottle: new PasswordThrottle(rateLimiter),
    loginThrottle: worker?.loginThrottle ?? new LoginThrottle({ clock }),
    openCounts,
    readiness,
    pdfs,
    /** What stream URLs send. */
    streamPolicy: streams,
    briefs: new Briefs({ catalog: views.catalog, synonyms: views.synonyms, meanings }),
    /** Undefined if it has not been built. */
    explorer: await loadExplorer(explorerFolder),
    endpointUrls: new EndpointUrls({ targets, resolver: resolverFor(targets, nameServers) }),
    known,
    /** The base of the service's own URLs, without a trailing slash; known once the server listens. */
    publicUrl: () => config.publicUrl ?? known.address,
  };
}

function measureMeanings(metrics: Metrics, { counts }: Meanings): void {
  metrics.observedCounter(
    'stave_brief_meanings_total',
    'Briefs with phrases to compare by meaning, by outcome: compared, or unavailable.',
    () => Object.entries(counts).map(([outcome, count]) => [{ outcome }, count]),
  );
}
