import type { Node, Reply } from './node.ts';

/** What was asked and answered in one phase. */
export interface Tally {
  sent: number;
  /** By status; `none` where the connection broke or there was none. */
  byStatus: Map<string, number>;
  /** Answers that a client must not see: other errors than 503 with Retry-After. */
  wrong: string[];
  slowestMs: number;
  /** The longest that a 503 took. */
  slowest503Ms: number;
}

const WORDS = ['track', 'night', 'calm', 'tra', 'trakc', 'river', 'zzz'];

/** Many clients that ask all nodes by turns, all the time, until told to stop. */
export class Load {
  readonly #nodes: () => readonly Node[];
  readonly #token: string;
  readonly #credentials: { client_id: string; client_secret: string };
  #tally = emptyTally();
  #isStopped = false;
  #clients: Promise<void>[] = [];

  /** @param deps.nodes those that a load balancer would send to. */
  constructor(deps: {
    nodes: () => readonly Node[];
    token: string;
    credentials: { client_id: string; client_secret: string };
  }) {
    this.#nodes = deps.nodes;
    this.#token = deps.token;
    this.#credentials = deps.credentials;
  }

  start(clients: number): void {
    this.#clients = Array.from({ length: clients }, (_, i) => this.#run(i));
  }

  /** What happened since the last time this was called. */
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
      // Answered later, it still belongs to the phase it was sent in.
      const tally = this.#tally;
      const reply = await this.#ask(node, n);
      note(tally, node, reply, performance.now() - startedMs);
      await new Promise((resolve) => setTimeout(resolve, 4));
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
