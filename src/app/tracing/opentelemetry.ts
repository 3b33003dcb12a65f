import { AsyncLocalStorage } from 'node:async_hooks';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { threadId } from 'node:worker_threads';
import {
  type Context,
  createTraceState,
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { StaveError } from '../../common/errors.ts';
import type { Log } from '../../common/log.ts';
import type { TraceContext } from '../../common/trace-context.ts';
import type { Attributes, RequestSpan, Tracing } from '../../common/tracing.ts';
import { SERVICE_VERSION } from '../../common/version.ts';
import type { Config } from '../config/config.ts';

/** How long a batch may take with its repetitions, and the stop of a service. A late collector loses spans, not requests. */
const EXPORT_MS = 3_000;
/** The most steps of a request. A request of thousands of statements displaces no spans of others. */
const MAX_STEPS = 128;
/** The length up to which the text of a statement is shown. */
const MAX_SQL = 2_000;
/** The shortest time between two lines of the log about spans that are lost. */
const REPORT_MS = 60_000;

type TraceSettings = NonNullable<Config['tracing']>;

/** A request whose spans are recorded. */
interface Recorded extends RequestSpan {
  readonly context: Context;
  steps: number;
}

/** Traces requests with the SDK of OpenTelemetry, which sends the spans as OTLP over HTTP. */
export class OpenTelemetry implements Tracing {
  readonly #provider: TracerProvider;
  readonly #agent: HttpAgent;
  readonly #tracer: Tracer;
  readonly #current = new AsyncLocalStorage<Recorded>();

  constructor(settings: TraceSettings, log: Log) {
    const { url, headers, serviceName } = settings;
    this.#agent = new (url.startsWith('https:') ? HttpsAgent : HttpAgent)({ keepAlive: true });
    const exporter = new OTLPTraceExporter({
      ...{ url, headers, timeoutMillis: EXPORT_MS, httpAgentOptions: () => this.#agent },
    });
    const own = resourceFromAttributes({
      'service.name': 'stave',
      'service.version': SERVICE_VERSION,
      'process.pid': process.pid,
      'thread.id': threadId,
    });
    // OTEL_RESOURCE_ATTRIBUTES
    const ofEnvironment = detectResources({ detectors: [envDetector] });
    const named = resourceFromAttributes(
      serviceName === null ? {} : { 'service.name': serviceName },
    );
    this.#provider = new TracerProvider({
      resource: own.merge(ofEnvironment).merge(named),
      sampler: samplerOf(settings),
      spanProcessors: [new BatchSpanProcessor({ exporter: reporting(exporter, log) })],
    });
    this.#tracer = this.#provider.getTracer('stave', SERVICE_VERSION);
    reportDropped(log);
  }

  request(parent: TraceContext | undefined, attributes: Attributes): RequestSpan {
    const context = parent === undefined ? ROOT_CONTEXT : contextOf(parent);
    const options = { kind: SpanKind.SERVER, attributes };
    const method = String(attributes['http.request.method']);
    const span = this.#tracer.startSpan(method, options, context);
    const { traceId, spanId } = span.spanContext();
    const request: Recorded = {
      ...{ traceId, spanId, context: trace.setSpan(context, span) },
      steps: span.isRecording() ? 0 : MAX_STEPS,
      found(route) {
        span.updateName(`${method} ${route}`);
        span.setAttribute('http.route', route);
      },
      end(more, error) {
        span.setAttributes(more);
        if (error !== undefined) fail(span, error);
        span.end();
      },
    };
    return request;
  }

  within<Result>(span: RequestSpan, work: () => Result): Result {
    return this.#current.run(span as Recorded, work);
  }

  step = <Result>(name: string, attributes: Attributes, work: () => Result): Result => {
    const request = this.#current.getStore();
    if (request === undefined || request.steps >= MAX_STEPS) return work();
    request.steps++;
    return this.#run(this.#tracer.startSpan(name, { attributes }, request.context), work);
  };

  statement<Result>(system: string, sql: string, run: () => Result): Result {
    const request = this.#current.getStore();
    if (request === undefined || request.steps >= MAX_STEPS) return run();
    request.steps++;
    const [operation, target] = operationOf(sql);
    const name = target === undefined ? operation : `${operation} ${target}`;
    const attributes = {
      'db.system.name': system,
      'db.operation.name': operation,
      'db.query.summary': name,
      'db.query.text': sql.slice(0, MAX_SQL),
      ...(target !== undefined && { 'db.collection.name': target }),
    };
    const options = { kind: SpanKind.CLIENT, attributes };
    return this.#run(this.#tracer.startSpan(name, options, request.context), run);
  }

  /** Sends the last spans, for a limited time. */
  async close(): Promise<void> {
    const late = setTimeout(() => this.#agent.destroy(), EXPORT_MS);
    try {
      await Promise.race([
        this.#provider.shutdown(),
        new Promise((resolve) => setTimeout(resolve, EXPORT_MS).unref()),
      ]);
    } catch {
      // The exporter has reported it.
    } finally {
      clearTimeout(late);
      this.#agent.destroy();
      diag.disable();
    }
  }

  #run<Result>(span: Span, work: () => Result): Result {
    try {
      const result = work();
      if (!(result instanceof Promise)) {
        span.end();
        return result;
      }
      return result.then(
        (value) => {
          span.end();
          return value;
        },
        (error: unknown) => {
          fail(span, typeOf(error));
          span.end();
          throw error;
        },
      ) as Result;
    } catch (error) {
      fail(span, typeOf(error));
      span.end();
      throw error;
    }
  }
}

function contextOf({ traceId, spanId, flags, state }: TraceContext): Context {
  const traceState = state === undefined ? undefined : createTraceState(state);
  return trace.setSpanContext(ROOT_CONTEXT, {
    ...{ traceId, spanId, traceFlags: flags, isRemote: true },
    ...(traceState && { traceState }),
  });
}

/** The samplers of OTEL_TRACES_SAMPLER. */
function samplerOf({ traceSampler, traceRatio }: TraceSettings): Sampler {
  const root = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(traceRatio),
  }[traceSampler.replace('parentbased_', '') as 'always_on' | 'always_off' | 'traceidratio']();
  return traceSampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

/** An error is shown by its type alone, because its message may contain values. */
function fail(span: Span, type: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute('error.type', type);
}

function typeOf(error: unknown): string {
  if (error instanceof StaveError) return error.kind;
  const { code, name } = error as Partial<NodeJS.ErrnoException>;
  return code ?? name ?? 'unknown';
}

/** Returns the operation of a statement, and the first table that it names. */
function operationOf(sql: string): [operation: string, target: string | undefined] {
  const operation = /\w+/.exec(sql)?.[0].toUpperCase() ?? 'SQL';
  return [operation, /\b(?:from|into|update)\s+"?([a-z]\w*)/i.exec(sql)?.[1]];
}

/** Returns an exporter that logs what could not be sent, and of an error nothing that the collector says. */
function reporting(exporter: SpanExporter, log: Log): SpanExporter {
  const report = lossReport(log, 'spans could not be sent to the collector');
  return {
    export: (spans, done) =>
      exporter.export(spans, ({ code, error }) => {
        if (code !== 0) {
          report(spans.length, (error as NodeJS.ErrnoException | undefined)?.code ?? error?.name);
        }
        done({ code: 0 });
      }),
    shutdown: () => exporter.shutdown(),
  };
}

/** Logs how many spans the queue had no room for. Other messages of the SDK may contain headers. */
function reportDropped(log: Log): void {
  const report = lossReport(log, 'spans were dropped: too many wait');
  const warn = (message: string) => {
    const spans = /^Dropped (\d+) spans/.exec(message)?.[1];
    if (spans !== undefined) report(Number(spans));
  };
  const nothing = () => {};
  diag.setLogger(
    { warn, error: nothing, info: nothing, debug: nothing, verbose: nothing },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

/** Returns a function that logs how many spans were lost, at most once a minute. */
function lossReport(log: Log, message: string): (spans: number, reason?: string) => void {
  let lost = 0;
  let reportedAt = Number.NEGATIVE_INFINITY;
  return (spans, reason) => {
    lost += spans;
    const now = performance.now();
    if (now - reportedAt < REPORT_MS) return;
    log.warn({ spans: lost, reason }, message);
    reportedAt = now;
    lost = 0;
  };
}
