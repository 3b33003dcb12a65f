import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

type Value = string | number | boolean;

/** A span, as a collector of OpenTelemetry gets it. */
export interface CollectedSpan {
  name: string;
  /** 1: within the process, 2: of a server, 3: of a client. */
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  traceState: string | undefined;
  startMs: number;
  endMs: number;
  attributes: Record<string, Value>;
  /** The attributes of the process. */
  resource: Record<string, Value>;
  /** 2: an error. */
  status: number;
}

/** A collector that takes OTLP over HTTP in JSON (https://opentelemetry.io/docs/specs/otlp/#otlphttp). */
export interface Collector extends AsyncDisposable {
  url: string;
  spans: readonly CollectedSpan[];
  /** The headers and the body of each request. */
  requests: readonly { headers: IncomingHttpHeaders; body: string }[];
  /** The status of the next responses; 0: none. */
  status: number;
}

interface Attribute {
  key: string;
  value: Record<string, Value>;
}

/** Starts a collector; always dispose of it. */
export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const requests: { headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request.setEncoding('utf8')) body += piece;
    requests.push({ headers: request.headers, body });
    if (collector.status === 0) return;
    const isTraces = request.method === 'POST' && request.url === '/base/v1/traces';
    if (isTraces && collector.status === 200) spans.push(...spansIn(body));
    response.writeHead(isTraces ? collector.status : 404, { 'content-type': 'application/json' });
    response.end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const collector: Collector = {
    url: `http://127.0.0.1:${port}/base`,
    spans,
    requests,
    status: 200,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return collector;
}

function spansIn(body: string): CollectedSpan[] {
  // biome-ignore lint/suspicious/noExplicitAny: what a program under test has sent
  const { resourceSpans } = JSON.parse(body) as { resourceSpans: any[] };
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    // biome-ignore lint/suspicious/noExplicitAny: as above
    scopeSpans.flatMap(({ spans }: any) =>
      // biome-ignore lint/suspicious/noExplicitAny: as above
      spans.map((span: any) => ({
        ...span,
        parentSpanId: span.parentSpanId || undefined,
        traceState: span.traceState,
        startMs: Number(span.startTimeUnixNano) / 1e6,
        endMs: Number(span.endTimeUnixNano) / 1e6,
        attributes: membersOf(span.attributes),
        resource: membersOf(resource.attributes),
        status: span.status?.code ?? 0,
      })),
    ),
  );
}

function membersOf(attributes: readonly Attribute[]): Record<string, Value> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => {
      const [only] = Object.entries(value);
      return [key, only![0] === 'intValue' ? Number(only![1]) : only![1]];
    }),
  );
}
