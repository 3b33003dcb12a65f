import { SharedWindows } from '../access/shared-windows.ts';
import type { Metrics } from '../api/metrics.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { openLog } from '../logger.ts';
import { type Service, startService } from '../service.ts';
import type { Crew } from './crew.ts';
import { type FromWorker, faultOf, type ToWorker, type WorkerStart } from './messages.ts';
import { RemoteIndexMaker } from './remote-index.ts';

/** What a worker is connected to the main thread by. */
export interface WorkerPort {
  tell(message: FromWorker): void;
  onTold(listener: (message: ToWorker) => void): void;
  /** Lets the thread end once nothing is under way. */
  close(): void;
}

/** Serves until told to stop. Resolves once it serves or has told why it cannot. */
export async function runWorker(start: WorkerStart, port: WorkerPort): Promise<void> {
  const { config, number, windows } = start;
  const clock = systemClock;
  const log = numbered(openLog({ level: config.logLevel, clock }), number);
  const indexMaker = new RemoteIndexMaker({
    ask: (id, ask) => port.tell({ kind: 'index', id, ask }),
    log,
  });
  const mayLoad = Promise.withResolvers<void>();
  const mayServe = Promise.withResolvers<void>();
  const counted = (memory: (typeof windows)['rates']) => new SharedWindows({ clock, memory });
  let metrics: Metrics | undefined;
  const crew: Crew = {
    isFirst: number === 0,
    rates: counted(windows.rates),
    guesses: {
      byClient: counted(windows.guessesByClient),
      byAddress: counted(windows.guessesByAddress),
    },
    indexMaker,
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
  let service: Service | undefined;
  port.onTold((message) => {
    switch (message.kind) {
      case 'load':
        mayLoad.resolve();
        break;
      case 'serve':
        mayServe.resolve();
        break;
      case 'made':
        indexMaker.made(message.id, message.columns);
        break;
      case 'not made':
        indexMaker.notMade(message.id, message.fault);
        break;
      case 'base':
        indexMaker.offered(message.columns);
        break;
      case 'scrape':
        port.tell({ kind: 'scraped', id: message.id, scrape: metrics?.scrape() ?? [] });
        break;
      case 'stop':
        void stop();
    }
  });
  const stop = async () => {
    try {
      await service?.close();
      port.tell({ kind: 'stopped' });
    } catch (error) {
      port.tell({ kind: 'stopped', fault: faultOf(error) });
    }
    port.close();
  };
  try {
    service = await startService({ config, clock, log, crew });
    port.tell({ kind: 'serving', greeting: service.greeting });
  } catch (error) {
    port.tell({ kind: 'failed', fault: faultOf(error) });
    port.close();
  }
}

/** The log, with the worker's number in each line. */
function numbered(log: Log, worker: number): Log {
  return {
    debug: (fields, message) => log.debug({ worker, ...fields }, message),
    info: (fields, message) => log.info({ worker, ...fields }, message),
    warn: (fields, message) => log.warn({ worker, ...fields }, message),
    error: (fields, message) => log.error({ worker, ...fields }, message),
  };
}
