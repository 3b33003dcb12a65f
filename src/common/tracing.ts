import type { TraceContext } from './trace-context.ts';

/** Names and values that a span shows. None may contain a secret, a value of a query or what a person has entered. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** The span of a request to the API. */
export interface RequestSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Names the route, once it is known, such as `/v1/tracks/{id}`. */
  found(route: string): void;
  /** Ends the span. `error` is the kind of an error that is the service's own. */
  end(attributes: Attributes, error: string | undefined): void;
}

/** Makes spans of requests, and of what a request waits for. */
export interface Tracing {
  /** Begins the span of a request. */
  request(parent: TraceContext | undefined, attributes: Attributes): RequestSpan;
  /** Runs work for a request: what begins in it belongs to the span of the request. */
  within<Result>(span: RequestSpan, work: () => Result): Result;
  /** Runs work in a span of its own if it belongs to a request that is recorded; otherwise only runs it. */
  step<Result>(name: string, attributes: Attributes, work: () => Result): Result;
  /** Runs a statement of a database, as `step`. Its text has no values. */
  statement<Result>(system: string, sql: string, run: () => Result): Result;
}

/**
 * The tracing of this thread; undefined unless OTEL_EXPORTER_OTLP_ENDPOINT is set. It is a variable, and not a dependency
 * of everything that a request passes, so that it costs one comparison while it is off.
 */
export let tracing: Tracing | undefined;

/** Runs work in a step if requests are traced. For a path of microseconds, compare `tracing` before making a closure. */
export function inStep<Result>(name: string, attributes: Attributes, work: () => Result): Result {
  return tracing === undefined ? work() : tracing.step(name, attributes, work);
}

/** Only `app/tracing` sets it, before the service opens. */
export function setTracing(made: Tracing | undefined): void {
  tracing = made;
}
