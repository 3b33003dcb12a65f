/**
 * A load generator in a process of its own: keeps `connections` requests in flight over keep-alive
 * sockets for `seconds`, and prints one JSON line. It parses no more than it must, so that it
 * outruns the servers it measures: a response is over when its Content-Length has arrived.
 *
 * Started by the benchmarks with its job as JSON on standard input.
 */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';

export interface LoadJob {
  port: number;
  /** Complete requests as text, headers included; taken in turn. */
  requests: string[];
  connections: number;
  seconds: number;
}

export interface LoadResult {
  requests: number;
  /** Answers with a status other than 2xx. */
  failures: number;
  requestsPerSecond: number;
  bytesPerSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  p999: number;
  max: number;
}

async function run(job: LoadJob): Promise<LoadResult> {
  const requests = job.requests.map((text) => Buffer.from(text, 'latin1'));
  const latencies: number[] = [];
  let failures = 0;
  let bytes = 0;
  let next = 0;
  const startedAt = performance.now();
  const endsAt = startedAt + job.seconds * 1000;

  const drive = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket: Socket = connect({ port: job.port, host: '127.0.0.1', noDelay: true });
      let sentAt = 0;
      let outstanding = -1;
      let head = Buffer.alloc(0);
      const send = () => {
        sentAt = performance.now();
        if (sentAt >= endsAt) {
          socket.destroy();
          resolve();
          return;
        }
        socket.write(requests[next++ % requests.length]!);
      };
      socket.on('connect', send);
      socket.on('error', reject);
      socket.on('close', () => resolve());
      socket.on('data', (chunk) => {
        bytes += chunk.length;
        if (outstanding < 0) {
          head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
          const end = head.indexOf('\r\n\r\n');
          if (end < 0) return;
          const text = head.toString('latin1', 0, end).toLowerCase();
          const at = text.indexOf('content-length: ');
          const length = at < 0 ? 0 : Number.parseInt(text.slice(at + 16, at + 30), 10);
          if (text.charCodeAt(9) !== 50) failures++;
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
  latencies.sort((a, b) => a - b);
  const quantile = (q: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * q))] ?? Number.NaN;
  return {
    requests: latencies.length,
    failures,
    requestsPerSecond: latencies.length / seconds,
    bytesPerSecond: bytes / seconds,
    p50: quantile(0.5),
    p99: quantile(0.99),
    p999: quantile(0.999),
    max: quantile(1),
  };
}

const job: LoadJob = JSON.parse(readFileSync(0, 'utf8'));
process.stdout.write(`${JSON.stringify(await run(job))}\n`);
