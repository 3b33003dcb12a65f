/** A worker of `stave serve --workers N`: a complete service in a thread. */
import { workerData } from 'node:worker_threads';
import { systemClock } from '../../common/clock.ts';
import { OpenCounts } from '../../common/memory/open-counts.ts';
import { offerToStarter } from '../../common/threads/calls.ts';
import { ServedCertificate } from '../../engines/http/connection/served-certificate.ts';
import type { Metrics } from '../../engines/http/metrics/metrics.ts';
import { MemoryRateLimiter } from '../../engines/limits/memory-rate-limiter.ts';
import { LoginThrottle } from '../../features/access/login-throttle.ts';
import type { WorkerContext } from '../node-parts.ts';
import { openLog } from '../open/logger.ts';
import { type Service, startService } from '../service.ts';
import type { WorkerStart, WorkerStarter, WorkerThread } from './messages.ts';
import { RemoteDocumentMaker, RemoteIndexMaker } from './remote-makers.ts';

const { config, number, counts, certificate: pair }: WorkerStart = workerData;
const clock = systemClock;
const log = openLog({ level: config.logLevel, clock, fields: { worker: number } });

const certificate = pair && new ServedCertificate(pair);
const listening = Promise.withResolvers<string>();
const mayLoad = Promise.withResolvers<void>();
const loaded = Promise.withResolvers<void>();
const mayServe = Promise.withResolvers<void>();
const serving = Promise.withResolvers<Service>();
const stopped = Promise.withResolvers<void>();
const waiting = new AbortController();
let metrics: Metrics | undefined;

const main = offerToStarter<WorkerStarter>({
  async run() {
    try {
      serving.resolve(await startService({ config, clock, log, worker, stop: waiting.signal }));
    } catch (error) {
      for (const { promise, reject } of [listening, loaded, serving]) {
        // The main thread may not wait for all of them.
        promise.catch(() => {});
        reject(error);
      }
      throw error;
    }
    await stopped.promise;
  },
  listening: () => listening.promise,
  load() {
    mayLoad.resolve();
    return loaded.promise;
  },
  async serve() {
    mayServe.resolve();
    return (await serving.promise).greeting;
  },
  scrape: () => metrics?.scrape() ?? [],
  respond() {},
  endWaiting: () => waiting.abort(),
  certify: (next) => certificate?.replace(next),
  base: (columns) => indexMaker.offer(columns),
  documents: (columns) => documentMaker.receive(columns),
  async stop() {
    await (await serving.promise).close();
    stopped.resolve();
  },
} satisfies WorkerThread);

const indexMaker = new RemoteIndexMaker(main, log);
const documentMaker = new RemoteDocumentMaker(main);
const worker: WorkerContext = {
  isFirst: number === 0,
  rateLimiter: new MemoryRateLimiter({ clock, memory: counts.requests }),
  loginThrottle: new LoginThrottle({ clock, memory: counts.failedLogins }),
  openCounts: new OpenCounts(counts.open),
  indexMaker,
  documentMaker,
  nearTerms: {
    prepare: (...args) => main.call('prepareTerms', ...args),
    nearest: (...args) => main.call('nearestTerms', ...args),
  },
  certificate,
  listening(address, itsMetrics) {
    metrics = itsMetrics;
    listening.resolve(address);
    return mayLoad.promise;
  },
  loaded() {
    loaded.resolve();
    return mayServe.promise;
  },
  onBase: (take) => indexMaker.onBase(take),
};
