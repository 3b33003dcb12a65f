/**
 * A receiver of messages in a separate process, which parses nothing. It prints its port as JSON. `GET /` returns how
 * many requests it got and how many of them it accepted.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { seededRandom } from '../src/common/seeded-random.ts';

/** What the receiver does. */
export interface ReceiverJob {
  /** The part of the requests to which it responds with 500. */
  faults: number;
}

/** What the receiver has got. */
export interface ReceiverCounts {
  requests: number;
  accepted: number;
}

const { faults } = JSON.parse(process.argv[2]!) as ReceiverJob;
const random = seededRandom('receiver');
const counts: ReceiverCounts = { requests: 0, accepted: 0 };
const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(JSON.stringify(counts));
    return;
  }
  request.resume().once('end', () => {
    counts.requests++;
    const isAccepted = random.next() >= faults;
    if (isAccepted) counts.accepted++;
    response.writeHead(isAccepted ? 204 : 500).end();
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`);
});
process.once('SIGTERM', () => process.exit());
