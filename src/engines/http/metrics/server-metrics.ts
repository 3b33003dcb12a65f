import { SERVICE_VERSION } from '../../../common/version.ts';
import type { LoopDelay } from '../guard/overload.ts';
import type { Count, Counter, Histogram, Metrics } from './metrics.ts';

/** The metrics of the HTTP server and of the process. */
export class ServerMetrics {
  readonly #requests: Counter;
  readonly #durations: Histogram;
  readonly #rateLimited: Counter;
  readonly #overloaded: Counter;
  readonly #refused: Counter;
  /** The counts of `#requests`, found without building a key from the labels. */
  readonly #counts = new Map<string, Map<number | undefined, Count>>();
  #inFlight = 0;

  constructor(metrics: Metrics, loopDelay: LoopDelay) {
    this.#requests = metrics.counter(
      'stave_http_requests_total',
      'Responses by operation and status; the status is aborted if the caller did not wait for the response.',
      ['operation', 'status'],
    );
    this.#durations = metrics.histogram(
      'stave_http_request_duration_seconds',
      'Time from the head of a request to the end of its response, by operation.',
      'operation',
    );
    this.#rateLimited = metrics.counter(
      'stave_http_rate_limited_total',
      'Requests refused because the limit of their client was used up.',
    );
    this.#overloaded = metrics.counter(
      'stave_http_overloaded_total',
      'Requests refused because the node had too many to serve in time.',
    );
    this.#refused = metrics.counter(
      'stave_http_malformed_total',
      'Refusals of what never became a request, by kind of error.',
      ['kind'],
    );
    metrics.gauge('stave_http_in_flight', 'Open requests.', () => this.#inFlight);
    registerProcess(metrics, loopDelay);
  }

  began(): void {
    this.#inFlight++;
  }

  /** @param status undefined if the caller closed the connection before the end of the response. */
  ended(operationId: string, status: number | undefined, seconds: number): void {
    this.#inFlight--;
    this.#countOf(operationId, status).value++;
    this.#durations.observe(operationId, seconds);
  }

  #countOf(operationId: string, status: number | undefined): Count {
    let byStatus = this.#counts.get(operationId);
    if (byStatus === undefined) {
      byStatus = new Map();
      this.#counts.set(operationId, byStatus);
    }
    let count = byStatus.get(status);
    if (count === undefined) {
      count = this.#requests.count([operationId, status === undefined ? 'aborted' : `${status}`]);
      byStatus.set(status, count);
    }
    return count;
  }

  rateLimited(): void {
    this.#rateLimited.increment();
  }

  overloaded(): void {
    this.#overloaded.increment();
  }

  refused(kind: string): void {
    this.#refused.increment([kind]);
  }
}

function registerProcess(metrics: Metrics, loopDelay: LoopDelay): void {
  metrics.gauge('stave_build_info', 'Always 1; the label tells the build.', () => [
    [{ version: SERVICE_VERSION }, 1],
  ]);
  metrics.gauge(
    'stave_event_loop_delay_seconds',
    'How late the event loop was in the last half second.',
    () => [
      [{ quantile: '0.5' }, loopDelay.last.medianMs / 1000],
      [{ quantile: '1' }, loopDelay.last.maxMs / 1000],
    ],
  );
  metrics.observedCounter('process_cpu_seconds_total', 'CPU time of the process.', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  metrics.gauge('process_resident_memory_bytes', 'Memory of the process.', () =>
    process.memoryUsage.rss(),
  );
  metrics.gauge('nodejs_heap_used_bytes', 'Memory that JavaScript objects take.', () => {
    return process.memoryUsage().heapUsed;
  });
  metrics.gauge('process_uptime_seconds', 'Seconds since the process started.', () =>
    process.uptime(),
  );
}
