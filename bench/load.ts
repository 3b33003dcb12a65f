/**
 * A load generator in a separate process: keeps `connections` requests in flight over keep-alive sockets for
 * `seconds`, and prints one JSON line. It parses only the status and the Content-Length, so that it is faster than
 * the measured servers.
 *
 * It reads its job as JSON from standard input.
 */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { quantiles } from './figures.ts';

export interface LoadJob {
  port: number;
  /** The path and query string of each GET request. The paths are requested in turn. */
  paths: string[];
  /** JSON bodies of the paths, which make the requests POST. */
  bodies?: readonly string[];
  /** The headers of each request. */
  headers?: Record<string, string>;
  /** The `Authorization` headers of several clients, taken in turn; each of them sends each path. */
  authorizations?: readonly string[];
  /** Gives each request an `Idempotency-Key` of its own, which begins with this text. */
  keyPrefix?: string;
  connections: number;
  seconds: number;
  /** The greatest number of requests per second, at equal intervals. Default: no limit. */
  perSecond?: number;
  /** Whether each path is requested once. The load then ends with the last path. */
  once?: boolean;
}

export interface LoadResult {
  requests: number;
  /** The number of responses with a status other than 2xx. */
  failures: number;
  /** The beginning of the first such response. */
  firstFailure: string | undefined;
  requestsPerSecond: number;
  /** The mean size of the bodies. */
  bodyBytes: number;
  /** The latencies in milliseconds. */
  p50: number;
  p99: number;
  p999: number;
  max: number;
}

async function run(job: LoadJob): Promise<LoadResult> {
  const headers = Object.entries({ Host: 'localhost', ...job.headers });
  const tail = `${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}`;
  const requests = job.paths.map((path, i) => requestHead(path, job.bodies?.[i]) + tail);
  const ends = (job.authorizations ?? []).map((value) => `Authorization: ${value}\r\n\r\n`);
  if (ends.length === 0) ends.push('\r\n');
  const bodies = job.bodies ?? [''];
  const latencies: number[] = [];
  let failures = 0;
  let firstFailure: string | undefined;
  let bodyBytes = 0;
  let next = 0;
  const startedAt = performance.now();
  const endsAt = startedAt + job.seconds * 1000;
  const intervalMs = 1000 / (job.perSecond ?? Number.POSITIVE_INFINITY);
  /** When the next request may be sent, by performance.now(). */
  let nextAt = startedAt;

  const drive = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket: Socket = connect({ port: job.port, host: '127.0.0.1', noDelay: true });
      let sentAt = 0;
      let outstanding = -1;
      let head = Buffer.alloc(0);
      const send = () => {
        const now = performance.now();
        if (now < nextAt) {
          setTimeout(send, nextAt - now);
          return;
        }
        // A slow response delays later requests, so that no burst of requests follows it.
        nextAt = Math.max(nextAt, now - intervalMs) + intervalMs;
        sentAt = now;
        if (sentAt >= endsAt || (job.once && next >= requests.length)) {
          socket.destroy();
          resolve();
          return;
        }
        const round = Math.floor(next / requests.length);
        const end = ends[(next + round) % ends.length]!;
        const body = bodies[next % bodies.length]!;
        const key =
          job.keyPrefix === undefined ? '' : `Idempotency-Key: ${job.keyPrefix}${next}\r\n`;
        socket.write(requests[next++ % requests.length]! + key + end + body, 'latin1');
      };
      socket.on('connect', send);
      socket.on('error', reject);
      socket.on('close', () => resolve());
      socket.on('data', (chunk) => {
        if (outstanding < 0) {
          head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
          const end = head.indexOf('\r\n\r\n');
          if (end < 0) return;
          const text = head.toString('latin1', 0, end).toLowerCase();
          if (text.charCodeAt(9) !== 50) {
            failures++;
            firstFailure ??= head.toString('latin1').replace(/\r\n.*\r\n\r\n/s, ' ');
          }
          const at = text.indexOf('content-length: ');
          const length = at < 0 ? 0 : Number.parseInt(text.slice(at + 16, at + 30), 10);
          bodyBytes += length;
          outstanding = length - (head.length - end - 4);
          head = Buffer.alloc(0);
        } else {
          outstanding -= chunk.length;
        }
        if (outstanding <= 0) {
          outstanding = -1;
          latencies.push(performance.now() - sentAt);
          send();
        }
      });
    });

  await Promise.all(Array.from({ length: job.connections }, drive));
  const seconds = (performance.now() - startedAt) / 1000;
  return {
    requests: latencies.length,
    failures,
    firstFailure,
    requestsPerSecond: latencies.length / seconds,
    bodyBytes: bodyBytes / latencies.length,
    ...quantiles(latencies),
  };
}

/** The request line, and the headers of a body, which is ASCII. */
function requestHead(path: string, body: string | undefined): string {
  return body === undefined
    ? `GET ${path} HTTP/1.1\r\n`
    : `POST ${path} HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
}

const job: LoadJob = JSON.parse(readFileSync(0, 'utf8'));
process.stdout.write(`${JSON.stringify(await run(job))}\n`);
