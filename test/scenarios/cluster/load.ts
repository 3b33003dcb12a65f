import { setTimeout as sleep } from 'node:timers/promises';
import type { Node, Reply } from './node.ts';

/** The requests and responses of one phase. */
export interface Tally {
  sent: number;
  /** Responses by status; `none` without a connection or a response. */
  byStatus: Map<string, number>;
  /** Responses that clients must not get: errors other than 503 with Retry-After. */
  wrong: string[];
  slowestMs: number;
  /** The longest time until a 503. */
  slowest503Ms: number;
}

const WORDS = ['track', 'night', 'calm', 'tra', 'trakc', 'river', 'zzz'];

/** Many clients that send requests to all nodes in turn, until they are stopped. */
export class Load {
  readonly #nodes: () => readonly Node[];
  readonly #token: string;
  readonly #credentials: { client_id: string; client_secret: string };
  readonly #pauseMs: number;
  #tally = emptyTally();
  #isStopped = false;
  #clients: Promise<void>[] = [];

  /** @param deps.nodes the nodes that a load balancer would select. */
  constructor(deps: {
    nodes: () => readonly Node[];
    token: string;
    credentials: { client_id: string; client_secret: string };
    pauseMs: number;
  }) {
    this.#nodes = deps.nodes;
    this.#token = deps.token;
    this.#credentials = deps.credentials;
    this.#pauseMs = deps.pauseMs;
  }

  start(clients: number): void {
    this.#clients = Array.from({ length: clients }, (_, i) => this.#run(i));
  }

  /** Returns the tally since the previous call. */
  take(): Tally {
    const taken = this.#tally;
    this.#tally = emptyTally();
    return taken;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#clients);
  }

  async #run(client: number): Promise<void> {
    for (let n = client; !this.#isStopped; n += 7) {
      const nodes = this.#nodes();
      const node = nodes[n % nodes.length]!;
      const startedMs = performance.now();
      // A response belongs to the phase in which its request was sent.
      const tally = this.#tally;
      const reply = await this.#ask(node, n);
      note(tally, node, reply, performance.now() - startedMs);
      await sleep(this.#pauseMs);
    }
  }

  #ask(node: Node, n: number): Promise<Reply> {
    const token = this.#token;
    const word = WORDS[n % WORDS.length]!;
    switch (n % 9) {
      case 0:
        return node.send('POST', '/v1/search', { token, body: { query: word, page: 1 } });
      case 1:
        return node.send('POST', '/v1/auth/token', {
          body: { grant_type: 'client_credentials', ...this.#credentials },
        });
      case 2:
        return node.send('GET', '/v1/me', { token });
      case 3:
        return node.send('GET', '/v1/filters', { token });
      case 4:
        return node.send('GET', `/v1/tracks?page=${1 + (n % 90)}`, { token });
      case 5:
        return node.send('GET', '/v1/playlists', { token });
      default:
        return node.send('GET', `/v1/tracks?search=${word}&page=${1 + (n % 3)}`, { token });
    }
  }
}

function emptyTally(): Tally {
  return { sent: 0, byStatus: new Map(), wrong: [], slowestMs: 0, slowest503Ms: 0 };
}

function note(tally: Tally, node: Node, { status, body, retryAfter }: Reply, ms: number): void {
  tally.sent++;
  const key = status === 0 ? 'none' : String(status);
  tally.byStatus.set(key, (tally.byStatus.get(key) ?? 0) + 1);
  if (status === 503) tally.slowest503Ms = Math.max(tally.slowest503Ms, ms);
  if (status !== 0) tally.slowestMs = Math.max(tally.slowestMs, ms);
  const isGood = status === 200 || status === 0 || (status === 503 && retryAfter !== undefined);
  if (!isGood) tally.wrong.push(`${node.name}: ${status} ${body.slice(0, 300)}`);
}
