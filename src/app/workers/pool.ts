import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import type { Clock } from '../../common/clock.ts';
import { createOpenCountsMemory } from '../../common/memory/open-counts.ts';
import { Thread } from '../../common/threads/thread.ts';
import { loggedWaitPolicy } from '../../common/work/wait-policy.ts';
import type { ServedCertificate } from '../../engines/http/connection/served-certificate.ts';
import type { Scrape } from '../../engines/http/metrics/metrics.ts';
import {
  createRateLimitMemory,
  MemoryRateLimiter,
} from '../../engines/limits/memory-rate-limiter.ts';
import type { SegmentColumns } from '../../engines/search/segments/columns.ts';
import { PasswordThrottle } from '../../features/access/password-throttle.ts';
import { embedderChoice } from '../../features/briefs/embeddings/choice.ts';
import { type NearTermThread, nearTermThread } from '../../features/briefs/embeddings/meanings.ts';
import { CertificateFiles } from '../certificate-files.ts';
import type { Config } from '../config/config.ts';
import { DocumentJobs } from '../indexing/document-copies.ts';
import { IndexJobs } from '../indexing/index-jobs.ts';
import {
  connectionLimits,
  refuseTakenPort,
  type StartConsole,
  startConsoleOf,
  startMetrics,
} from '../listen.ts';
import type { ServiceDependencies } from '../node-parts.ts';
import { type AppContext, openAppContext } from '../open/context.ts';
import { VECTORS_FILE } from '../open/data-folder.ts';
import { locationOf } from '../open/open-store.ts';
import type { Service } from '../service.ts';
import { openSharedLimiter } from '../shared-limiter.ts';
import { streamPolicy } from '../stream-policy.ts';
import { IndexBroker } from './index-broker.ts';
import type { WorkerStart, WorkerStarter, WorkerThread } from './messages.ts';

/** The scrape omits a worker that does not respond within this time. */
const SCRAPE_MS = 1_000;

export interface Workers {
  /** Scheme, host and port. */
  address: string;
  greeting: Service['greeting'];
  /** Reads the certificate again. */
  reload(): void;
  /** Resolves when each worker has responded. */
  responds(): Promise<unknown>;
  /** Completes open requests in all workers, then ends them. */
  close(): Promise<void>;
}

export interface WorkersDependencies
  extends Pick<
    ServiceDependencies,
    'config' | 'clock' | 'log' | 'stop' | 'startConsole' | 'opening'
  > {
  count: number;
  /** Called once, when a worker ends without being stopped. The process must then end. */
  onDeath: () => void;
}

/**
 * Starts `count` services on one port, each in a thread. They share the rate limits, the login throttle
 * and the index. Resolves when all of them serve; until then, all of them respond with `unavailable`.
 */
export async function startWorkers(deps: WorkersDependencies): Promise<Workers> {
  const { count, clock, log, onDeath, stop } = deps;
  const config = { ...deps.config, maxConnections: connectionLimits(deps.config, log) };
  if (config.port !== 0) await refuseTakenPort(config);
  const waitPolicy = loggedWaitPolicy(log, config.databaseWaitMs, stop);
  const { catalogLanguage: language } = config;
  const location = locationOf(config);
  const jobs = new IndexJobs({ location, clock, log, waitPolicy, language, opening: deps.opening });
  const streams = await streamPolicy(config);
  const documents = new DocumentJobs({ location, streams, clock, log });
  const files = config.tls && (await CertificateFiles.open(config.tls, deps));
  const certificate = files?.served ?? null;
  const pool = new WorkerPool({ count, config, clock, certificate, jobs, documents });
  if (files !== null) pool.listeners.use(files);
  const endWaiting = () => pool.endWaiting();
  if (stop?.aborted) endWaiting();
  stop?.addEventListener('abort', endWaiting);
  try {
    await pool.listenForMetrics();
    const address = await pool.load();
    if (config.console !== null) {
      await pool.serveConsole(
        await openAppContext({ config, clock, log, waitPolicy }),
        deps.startConsole,
      );
    }
    waitPolicy.end();
    stop?.removeEventListener('abort', endWaiting);
    const greeting = await pool.serve();
    void pool.death().then(({ worker, error }) => {
      log.error({ worker, err: error }, 'a worker ended unexpectedly, and so all end');
      onDeath();
    });
    return {
      address,
      greeting,
      reload: () => void files?.reload(),
      responds: () => pool.responds(),
      close: () => pool.close(),
    };
  } catch (error) {
    await pool.terminate();
    throw error;
  }
}

class WorkerPool {
  readonly #count: number;
  readonly #config: Config;
  readonly #counts: WorkerStart['counts'];
  readonly #broker: IndexBroker;
  readonly #documents: DocumentJobs;
  readonly #nearTerms: NearTermThread | undefined;
  readonly #handles: WorkerHandle[] = [];
  /** Ended after the workers. */
  readonly listeners = new AsyncDisposableStack();
  readonly #certificate: ServedCertificate | null;
  #isWaitingEnded = false;
  readonly #merged = {
    render: async () =>
      mergedText(await Promise.all(this.#handles.map((handle) => handle.scrape()))),
  };

  constructor(deps: {
    count: number;
    config: Config;
    clock: Clock;
    certificate: ServedCertificate | null;
    jobs: IndexJobs;
    documents: DocumentJobs;
  }) {
    const { count, config, clock, certificate, jobs, documents } = deps;
    this.#count = count;
    this.#config = config;
    this.#counts = {
      requests: createRateLimitMemory(clock),
      failedLogins: {
        byClient: createRateLimitMemory(clock),
        byAddress: createRateLimitMemory(clock),
      },
      open: createOpenCountsMemory(),
    };
    this.#broker = new IndexBroker(jobs, (columns) => this.#offer(columns));
    this.#documents = documents;
    const vectors = join(config.dataFolder, VECTORS_FILE);
    this.#nearTerms = nearTermThread(embedderChoice(config.embeddings), vectors);
    this.listeners.defer(() => this.#nearTerms?.close());
    this.#certificate = certificate;
    certificate?.onReplaced((pair) => {
      for (const { thread } of this.#handles) thread.tell('certify', pair);
    });
    documents.onColumns((columns) => {
      for (const { thread } of this.#handles) thread.tell('documents', columns);
    });
  }

  listenForMetrics(): Promise<void> {
    return startMetrics(this.#config, this.#merged, this.listeners);
  }

  /** Closes the context at the end. */
  async serveConsole(context: AppContext, startConsole?: StartConsole): Promise<void> {
    const resources = this.listeners;
    resources.defer(() => context.close());
    const tls = this.#certificate;
    const { clock } = context;
    const local = new MemoryRateLimiter({ clock, memory: this.#counts.requests });
    const limiter = openSharedLimiter(context, local, resources)?.limiter ?? local;
    const passwordThrottle = new PasswordThrottle(limiter);
    await startConsoleOf(context, this.#merged, { tls, passwordThrottle, startConsole, resources });
  }

  /** Resolves with the address when all workers are loaded. */
  async load(): Promise<string> {
    // Each thread collects its own garbage: V8's helper threads would take the cores of other workers
    // (docs/adr/0016). V8 reads the flag at each collection, so it may be set now.
    setFlagsFromString('--no-parallel-scavenge');
    const first = this.#open(0, {});
    const address = await first.thread.call('listening');
    const port = Number(new URL(address).port) || (this.#config.tls === null ? 80 : 443);
    // The other workers load what the first one has made: the schema, the keys, the demo, the index.
    const others = Array.from({ length: this.#count - 1 }, (_, other) =>
      this.#open(other + 1, { port, demo: false }),
    );
    const load = ({ thread }: WorkerHandle) => thread.call('load');
    await Promise.all([load(first), ...others.map(({ thread }) => thread.call('listening'))]);
    await Promise.all(others.map(load));
    return address;
  }

  async serve(): Promise<Service['greeting']> {
    const [greeting] = await Promise.all(this.#handles.map(({ thread }) => thread.call('serve')));
    return greeting!;
  }

  /** Ends the waits for the database in all workers, including those that have not started yet. */
  endWaiting(): void {
    this.#isWaitingEnded = true;
    for (const { thread } of this.#handles) thread.tell('endWaiting');
  }

  responds(): Promise<unknown> {
    return Promise.all(this.#handles.map(({ thread }) => thread.call('respond')));
  }

  /** Resolves with the first worker that ends without being stopped. Never resolves otherwise. */
  death(): Promise<{ worker: number; error: Error }> {
    return Promise.race(
      this.#handles.map(async ({ number, death }) => ({ worker: number, error: await death })),
    );
  }

  /** Completes open requests in all workers, then ends them. Rejects with the first failure. */
  async close(): Promise<void> {
    // The broker closes first, so that no worker waits for a build.
    const ended = Promise.all([this.#broker.close(), this.#documents.close()]);
    const stopped = await Promise.allSettled(this.#handles.map((handle) => handle.stop()));
    await ended;
    await this.listeners.disposeAsync();
    for (const one of stopped) if (one.status === 'rejected') throw one.reason;
  }

  async terminate(): Promise<void> {
    await Promise.all([this.#broker.close(), this.#documents.close()]);
    await Promise.all(this.#handles.map((handle) => handle.terminate()));
    await this.listeners.disposeAsync();
  }

  #open(number: number, own: Partial<Config>): WorkerHandle {
    // The kernel distributes all connections at random, including those of one address.
    const { inAll, ofAddress } = this.#config.maxConnections;
    const config: Config = {
      ...this.#config,
      maxConnections: {
        inAll: Math.ceil(inAll / this.#count),
        ofAddress: Math.ceil(ofAddress / this.#count),
      },
      // The main thread serves the metrics, because the workers would all listen on one port.
      metrics: null,
      console: null,
      ...own,
    };
    const certificate = this.#certificate?.pair ?? null;
    const start: WorkerStart = { config, number, certificate, counts: this.#counts };
    const broker = this.#broker;
    const offer: WorkerStarter = {
      open: () => broker.open(),
      build: (notBefore) => broker.build(notBefore),
      merge: (input) => broker.merge(input),
      changes: (after) => broker.changes(after),
      prepareTerms: async (...args) => this.#nearTerms?.prepare(...args),
      nearestTerms: async (...args) => (await this.#nearTerms?.nearest(...args)) ?? null,
      requestDocuments: (isOutdated) => this.#documents.request(isOutdated),
    };
    const handle = new WorkerHandle(start, offer);
    this.#handles.push(handle);
    if (this.#isWaitingEnded) handle.thread.tell('endWaiting');
    return handle;
  }

  /** Sends a new index to all workers except the first, which made it. */
  #offer(columns: SegmentColumns): void {
    for (const { thread } of this.#handles.slice(1)) thread.tell('base', columns);
  }
}

class WorkerHandle {
  readonly number: number;
  readonly thread: Thread<WorkerThread>;
  readonly #run: Promise<void>;
  #isStopping = false;

  constructor(start: WorkerStart, offer: WorkerStarter) {
    this.number = start.number;
    this.thread = new Thread(new URL('./worker-thread.ts', import.meta.url), {
      workerData: start,
      name: `stave ${start.number}`,
      offer,
    });
    this.#run = this.thread.call('run');
    this.#run.catch(() => {});
  }

  /** Resolves with the cause when the thread has ended without being stopped. Never resolves otherwise. */
  get death(): Promise<Error> {
    const { promise, resolve } = Promise.withResolvers<Error>();
    this.#run.catch((error: Error) => {
      if (!this.#isStopping) resolve(error);
    });
    return promise;
  }

  /** Completes open requests, then ends the thread. Rejects with the error of closing. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    try {
      await this.thread.call('stop');
    } finally {
      await this.thread.terminate();
    }
  }

  async terminate(): Promise<void> {
    this.#isStopping = true;
    await this.thread.terminate();
  }

  /** Returns the metrics of the worker; undefined if it does not respond in time. */
  async scrape(): Promise<{ worker: number; scrape: Scrape } | undefined> {
    const late = sleep(SCRAPE_MS, undefined, { ref: false });
    const scraped = this.thread.call('scrape').catch(() => undefined);
    const scrape = await Promise.race([scraped, late]);
    return scrape && { worker: this.number, scrape };
  }
}

/** These are the same in every worker. */
const OF_THE_PROCESS = /^process_|^stave_build_info$/;

/**
 * Returns the metrics of several workers as one text: each name once, with the series of every worker under the label
 * `worker`. Metrics of the whole process appear once, without that label.
 *
 * @param scrapes undefined for a worker that did not respond
 */
export function mergedText(
  scrapes: readonly ({ worker: number; scrape: Scrape } | undefined)[],
): string {
  const families = new Map<string, { head: string; lines: string[] }>();
  for (const { worker, scrape } of scrapes.filter((one) => one !== undefined)) {
    for (const { name, head, lines } of scrape) {
      const known = families.get(name);
      if (known === undefined) families.set(name, { head, lines: [] });
      else if (OF_THE_PROCESS.test(name)) continue;
      families.get(name)!.lines.push(...lines.map((line) => withWorkerLabel(name, line, worker)));
    }
  }
  return [...families.values()]
    .flatMap(({ head, lines }) => [head, ...lines])
    .map((line) => `${line}\n`)
    .join('');
}

function withWorkerLabel(name: string, line: string, worker: number): string {
  if (OF_THE_PROCESS.test(name)) return line;
  return line.replace(/^([\w:]+)(\{?)/, (_, series: string, brace: string) =>
    brace === '' ? `${series}{worker="${worker}"}` : `${series}{worker="${worker}",`,
  );
}
