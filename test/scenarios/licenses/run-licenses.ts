import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../../src/common/clock.ts';
import type { Quote } from '../../../src/features/licensing/quote.ts';
import type { Store } from '../../../src/features/store.ts';
import { asClient } from '../../contract/collections-support.ts';
import { BY, deliveries, importAll } from '../../harness/deliveries.ts';
import { LICENSEE, newQuote, publishCard, UNSIGNED } from '../../harness/licensing.ts';
import { adapterNamed } from '../../harness/store-adapters.ts';
import { someClient, trackId } from '../../harness/stores.ts';
import { testRandom } from '../../harness/test-random.ts';
import { SellingNode } from './selling-node.ts';

const NODES = 3;
/** The purchases that are on their way at the same time. */
const BUYERS = 16;
/** Each tenth purchase is first rolled back, after its number was drawn. */
const ROLLED_BACK = 10;
/** Each twentieth purchase is one of two exclusive ones of a track, which two clients buy at the same time. */
const EXCLUSIVE = 20;
const CLIENTS = ['one', 'two'] as const;
/** The tracks of purchases that are not exclusive. */
const TRACKS = 5;
const PATIENCE_MS = 120_000;
const LIST = 1_000;

interface LicenseOptions {
  licenses: number;
  /** How many times a node is killed. */
  kills: number;
  database: 'SQLite' | 'PostgreSQL';
  /** Called with the progress. */
  log?: (line: string) => void;
}

/** What was sold. All but the first four must be 0. */
interface LicenseReport {
  licenses: number;
  /** Purchases whose transaction was rolled back. */
  rolledBack: number;
  kills: number;
  /** Tracks of which two clients bought an exclusive license at the same time. */
  races: number;
  /** Acknowledged licenses that are not stored, or with another number. */
  lost: number;
  /** Numbers that are missing or occur twice. */
  gaps: number;
  /** Quotes that bought two licenses, and licenses that nobody bought. */
  surplus: number;
  /** Tracks with another number of exclusive licenses than one. */
  undecided: number;
  /** Responses that a partner must not get. */
  wrong: number;
  seconds: number;
}

/** Returns how much was lost or wrong. */
export function licenseFaultsOf(report: LicenseReport): number {
  const { lost, gaps, surplus, undecided, wrong } = report;
  return lost + gaps + surplus + undecided + wrong;
}

/** Sells licenses on three nodes, of which one after the other is killed, and compares the numbers. */
export async function runLicenses(options: LicenseOptions): Promise<LicenseReport> {
  const adapter = adapterNamed(options.database === 'SQLite' ? 'sqlite' : 'postgres');
  const place = await adapter.provide();
  const store = await adapter.open(place.location, systemClock);
  const job = { adapter: adapter.name, location: place.location };
  const nodes = Array.from({ length: NODES }, () => new SellingNode(job));
  try {
    const races = Math.floor(options.licenses / EXCLUSIVE);
    await importAll(store, deliveries(0, TRACKS + races));
    await publishCard(store);
    for (const id of CLIENTS) await store.clients.create(someClient({ id }), BY);
    await Promise.all(nodes.map((node) => node.start()));
    return await new Sale(store, nodes, options).run();
  } finally {
    await Promise.all(nodes.map((node) => node.kill()));
    await store.close();
    await place.dispose();
  }
}

class Sale {
  readonly #store: Store;
  readonly #nodes: readonly SellingNode[];
  readonly #options: LicenseOptions;
  /** The number of each license that was acknowledged, by its quote. */
  readonly #sold = new Map<string, string>();
  /** For each track with a race, how many licenses were acknowledged. */
  readonly #winners = new Map<number, number>();
  #rolledBack = 0;
  #kills = 0;
  #wrong = 0;
  readonly #random = testRandom('kills of nodes that sell');
  /** Resolves when the node that was killed last serves again. */
  #restarted = Promise.resolve();
  /** What purchases wait for: that the node that was killed before the last one serves again. */
  #open = Promise.resolve();

  constructor(store: Store, nodes: readonly SellingNode[], options: LicenseOptions) {
    this.#store = store;
    this.#nodes = nodes;
    this.#options = options;
  }

  async run(): Promise<LicenseReport> {
    const startedAt = performance.now();
    const { licenses, kills, log } = this.#options;
    const killAt = Array.from({ length: kills }, (_, i) =>
      Math.round(((i + 1) * licenses) / (kills + 1)),
    );
    let next = 0;
    const buy = async () => {
      while (next < licenses) {
        const n = next++;
        if (killAt.includes(n)) {
          log?.(`a node is killed after ${n} of ${licenses} licenses`);
          this.#open = this.#restarted;
          this.#restarted = this.#restarted.then(() => this.#killOne());
        }
        await this.#open;
        await (n % EXCLUSIVE === EXCLUSIVE - 1 ? this.#race(n) : this.#buyOne(n));
      }
    };
    await Promise.all(Array.from({ length: BUYERS }, buy));
    await this.#restarted;
    const compared = await this.#compare();
    return {
      rolledBack: this.#rolledBack,
      kills: this.#kills,
      races: this.#winners.size,
      undecided: [...this.#winners.values()].filter((count) => count !== 1).length,
      wrong: this.#wrong,
      ...compared,
      seconds: Math.round((performance.now() - startedAt) / 1_000),
    };
  }

  /** Kills a node at a random time while licenses are sold, and starts it again. */
  async #killOne(): Promise<void> {
    const node = this.#nodes[this.#kills++ % NODES]!;
    await sleep(this.#random.integer(0, 50));
    await node.kill();
    await node.start();
  }

  async #buyOne(n: number): Promise<void> {
    const client = CLIENTS[n % CLIENTS.length]!;
    const quote = await this.#quote(client, n % TRACKS, false);
    if (n % ROLLED_BACK === 0) {
      const { status } = await this.#send(n, client, quote, UNSIGNED);
      if (status === 500) this.#rolledBack++;
      else this.#wrong++;
    }
    const { status } = await this.#send(n + 1, client, quote);
    if (status !== 200 && status !== 201) this.#wrong++;
  }

  /** Two clients buy an exclusive license of one track at the same time, at two nodes. */
  async #race(n: number): Promise<void> {
    const track = TRACKS + Math.floor(n / EXCLUSIVE);
    const quotes = await Promise.all(CLIENTS.map((client) => this.#quote(client, track, true)));
    const replies = await Promise.all(
      CLIENTS.map((client, i) => this.#send(n + i, client, quotes[i]!)),
    );
    const isSold = (status: number | undefined) => status === 200 || status === 201;
    this.#winners.set(track, replies.filter(({ status }) => isSold(status)).length);
    if (replies.some(({ status }) => !isSold(status) && status !== 409)) this.#wrong++;
  }

  #quote(clientId: string, track: number, exclusive: boolean): Promise<Quote> {
    const names = [trackId(track)];
    return newQuote(this.#store, asClient(clientId), systemClock.now(), { names, exclusive });
  }

  /** Buys the license of a quote, at one node after the other until one responds. */
  async #send(turn: number, client: string, { id: quoteId }: Quote, licensee = LICENSEE) {
    const body = { quoteId, termsVersion: '2026-1', licensee };
    const endAt = performance.now() + PATIENCE_MS;
    for (let attempt = 0; ; attempt++) {
      const node = this.#nodes[(turn + attempt) % NODES]!;
      const reply = await node.buy(client, body);
      const isOpen = reply.status === undefined || reply.status === 503;
      if (isOpen && performance.now() < endAt) {
        await sleep(10);
        continue;
      }
      if (reply.number !== undefined) this.#sold.set(quoteId, reply.number);
      return reply;
    }
  }

  /** Compares what was acknowledged with what is stored. */
  async #compare() {
    const stored = new Map<string, string>();
    let surplus = 0;
    for (const clientId of CLIENTS) {
      const page = { now: systemClock.now(), limit: LIST };
      for (let offset = 0, total = 1; offset < total; offset += LIST) {
        const found = await this.#store.issuedLicenses.list(asClient(clientId), {
          ...page,
          offset,
        });
        total = found.total;
        for (const { number, terms } of found.licenses) {
          if (stored.has(terms.quoteId)) surplus++;
          stored.set(terms.quoteId, number);
        }
      }
    }
    surplus += [...stored.keys()].filter((quote) => !this.#sold.has(quote)).length;
    const lost = [...this.#sold].filter(([quote, number]) => stored.get(quote) !== number).length;
    const counted = [...stored.values()].map((number) => Number(number.split('-')[1]));
    counted.sort((a, b) => a - b);
    const gaps = counted.filter((count, i) => count !== i + 1).length;
    return { licenses: stored.size, lost, gaps, surplus };
  }
}
