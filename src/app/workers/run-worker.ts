import { systemClock } from '../../common/clock.ts';
import type { Log } from '../../common/log.ts';
import { OpenCounts } from '../../common/memory/open-counts.ts';
import { serializeError } from '../../common/threads/serialized-error.ts';
import type { Metrics } from '../../engines/http/metrics/metrics.ts';
import { MemoryRateLimiter } from '../../engines/limits/memory-rate-limiter.ts';
import { LoginThrottle } from '../../features/access/login-throttle.ts';
import { openLog } from '../open/logger.ts';
import { type Service, startService, type WorkerContext } from '../service.ts';
import type { FromWorker, ToWorker, WorkerStart } from './messages.ts';
import { RemoteDocumentMaker, RemoteIndexMaker } from './remote-index.ts';

/** A worker's connection to the main thread. */
export interface WorkerPort {
  tell(message: FromWorker): void;
  onTold(listener: (message: ToWorker) => void): void;
  /** Lets the thread end when its work is done. */
  close(): void;
}

/**
 * Runs a service until the main thread sends `stop`. Resolves when it serves, or when it has reported why it
 * cannot.
 */
export async function runWorker(start: WorkerStart, port: WorkerPort): Promise<void> {
  const { config, number, counts } = start;
  const clock = systemClock;
  const log = numbered(openLog({ level: config.logLevel, clock }), number);
  const { indexMaker, documentMaker, receive } = makersOf(port, log);
  const mayLoad = Promise.withResolvers<void>();
  const mayServe = Promise.withResolvers<void>();
  let metrics: Metrics | undefined;
  const worker: WorkerContext = {
    isFirst: number === 0,
    rateLimiter: new MemoryRateLimiter({ clock, memory: counts.requests }),
    loginThrottle: new LoginThrottle({ clock, memory: counts.failedLogins }),
    openCounts: new OpenCounts(counts.open),
    indexMaker,
    documentMaker,
    listening(address, itsMetrics) {
      metrics = itsMetrics;
      port.tell({ kind: 'listening', address });
      return mayLoad.promise;
    },
    loaded() {
      port.tell({ kind: 'loaded' });
      return mayServe.promise;
    },
    onBase: (take) => indexMaker.onBase(take),
  };
  const waiting = new AbortController();
  let service: Service | undefined;
  port.onTold((message) => {
    switch (message.kind) {
      case 'load':
        mayLoad.resolve();
        break;
      case 'serve':
        mayServe.resolve();
        break;
      case 'scrape':
        port.tell({ kind: 'scraped', id: message.id, scrape: metrics?.scrape() ?? [] });
        break;
      case 'end waiting':
        waiting.abort();
        break;
      case 'stop':
        void stop();
        break;
      default:
        receive(message);
    }
  });
  const stop = async () => {
    try {
      await service?.close();
      port.tell({ kind: 'stopped' });
    } catch (error) {
      port.tell({ kind: 'stopped', fault: serializeError(error) });
    }
    port.close();
  };
  try {
    service = await startService({ config, clock, log, worker, stop: waiting.signal });
    port.tell({ kind: 'serving', greeting: service.greeting });
  } catch (error) {
    port.tell({ kind: 'failed', fault: serializeError(error) });
    port.close();
  }
}

/** Returns the makers of a worker, and the function that passes what the main thread has made to them. */
function makersOf(port: Pick<WorkerPort, 'tell'>, log: Log) {
  const indexMaker = new RemoteIndexMaker({
    ask: (id, ask) => port.tell({ kind: 'index', id, ask }),
    log,
  });
  const documentMaker = new RemoteDocumentMaker((isOutdated) =>
    port.tell({ kind: 'documents', isOutdated }),
  );
  const receive = (message: Made) => {
    switch (message.kind) {
      case 'made':
        return indexMaker.made(message.id, message.made);
      case 'not made':
        return indexMaker.notMade(message.id, message.fault);
      case 'base':
        return indexMaker.offered(message.columns);
      case 'documents':
        return documentMaker.received(message.columns);
    }
  };
  return { indexMaker, documentMaker, receive };
}

/** The messages with something that was made for the worker. */
type Made = Extract<ToWorker, { kind: 'made' | 'not made' | 'base' | 'documents' }>;

/** Adds the number of the worker to each log line. */
function numbered(log: Log, worker: number): Log {
  return {
    debug: (fields, message) => log.debug({ worker, ...fields }, message),
    info: (fields, message) => log.info({ worker, ...fields }, message),
    warn: (fields, message) => log.warn({ worker, ...fields }, message),
    error: (fields, message) => log.error({ worker, ...fields }, message),
  };
}
