/**
 * Hostile connections in a separate process: until SIGTERM, each sends a burst of pipelined requests every
 * `everyMs` and reads the responses. Prints one JSON line when all are connected, and one with the number of
 * received bytes at the end.
 *
 * The job is JSON in the first argument.
 */
import { connect } from 'node:net';

export interface HostileJob {
  port: number;
  connections: number;
  /** Requests in each burst. */
  burst: number;
  everyMs: number;
}

const job: HostileJob = JSON.parse(process.argv[2]!);
const burst = Buffer.from('GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(job.burst));
/** A socket with this many unsent bytes sends no more, because the service does not read them. */
const MAX_UNSENT = 4 * burst.length;

let connected = 0;
let answeredBytes = 0;
for (let i = 0; i < job.connections; i++) {
  const socket = connect({ port: job.port, host: '127.0.0.1' });
  socket.on('error', () => {});
  socket.on('data', (bytes) => {
    answeredBytes += bytes.length;
  });
  socket.once('connect', () => {
    connected++;
    if (connected === job.connections) {
      process.stdout.write(`${JSON.stringify({ port: job.port })}\n`);
    }
    setInterval(() => {
      if (socket.writable && socket.writableLength < MAX_UNSENT) socket.write(burst);
    }, job.everyMs);
  });
}

process.once('SIGTERM', () => {
  process.stdout.write(`${JSON.stringify({ answeredBytes })}\n`, () => process.exit(0));
});
