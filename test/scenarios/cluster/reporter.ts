import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../../src/common/clock.ts';
import { updateClient } from '../../../src/features/access/clients.ts';
import type { Store } from '../../../src/features/store.ts';
import { BY } from '../../harness/deliveries.ts';
import { until } from '../../harness/until.ts';
import { newCredentials, tokenOf } from './credentials.ts';
import type { Node, Reply } from './node.ts';
import { PatientSender } from './patient-sender.ts';
import { repeated } from './repeated.ts';
import { type Batch, makeBatch, type ReportedEvent } from './usage-batch.ts';
import { compareStored, differingSums, type StoredDifferences } from './usage-comparison.ts';

/** How often a new batch is sent, while fewer than the most are open. */
const EVERY_MS = 50;
const MAX_OPEN = 100;
/** The first attempt of every fifth batch is cut off after at most this time, so that responses are lost in calm too. */
const CUT_OFF_MS = 40;
const AUDIT_MS = 200;
/** Every batch of this interval is repeated at the end, on every node. */
const REPLAY_INTERVAL = 25;
const RATE_LIMIT = 1_000_000;

/** What a reporter of usage found. All but the first three must be 0 or empty. */
export interface ReporterReport extends StoredDifferences {
  acknowledgedEvents: number;
  /** Attempts that were repeated, by status; `none` without a response. */
  repeated: ReadonlyMap<string, number>;
  /** How long the last batches took after the end of the load, in milliseconds. */
  completedMs: number;
  /** Sums of summaries that differ from the reporter's own, over all nodes. */
  differingSums: number;
  /** Responses that a partner must not get. */
  wrong: readonly string[];
}

/**
 * A partner that reports usage through all nodes in turn. It repeats each batch with the same `Idempotency-Key` until
 * it is acknowledged, as docs/retrying.md teaches, and meanwhile compares summaries with what was acknowledged.
 */
export class Reporter implements AsyncDisposable {
  readonly #store: Store;
  readonly #nodes: () => readonly Node[];
  readonly #sender: PatientSender;
  readonly #trackIds: readonly string[];
  readonly #clientId: string;
  readonly #token: string;
  readonly #open = new Set<Promise<void>>();
  readonly #acknowledged: ReportedEvent[] = [];
  readonly #toReplay: { batch: Batch; body: string }[] = [];
  readonly #wrong: string[] = [];
  readonly #running: Promise<void>;
  #sentEvents = 0;
  #completedMs = 0;
  #isStopped = false;

  private constructor(deps: {
    store: Store;
    nodes: () => readonly Node[];
    trackIds: readonly string[];
    clientId: string;
    token: string;
  }) {
    this.#store = deps.store;
    this.#nodes = deps.nodes;
    this.#trackIds = deps.trackIds;
    this.#clientId = deps.clientId;
    this.#token = deps.token;
    this.#sender = new PatientSender(deps.nodes, deps.token);
    this.#running = Promise.all([this.#run(), this.#audit()]).then(() => {});
  }

  /** @param nodes the nodes that a load balancer would select. */
  static async start(
    store: Store,
    nodes: () => readonly Node[],
    trackIds: readonly string[],
  ): Promise<Reporter> {
    const terms = { scopes: ['usage'], features: ['usage'] };
    const credentials = await newCredentials(store, RATE_LIMIT, terms);
    const tokens = await Promise.all(nodes().map((node) => tokenOf(node, credentials)));
    const clientId = credentials.client_id;
    return new Reporter({ store, nodes, trackIds, clientId, token: tokens[0]! });
  }

  /** Limits the requests of the reporter until some were refused. */
  async throttle(): Promise<string> {
    const refused = () => this.#sender.repeated.get('429') ?? 0;
    const before = refused();
    const deps = { store: this.#store, clock: systemClock, by: BY };
    const limit = (rateLimit: number) =>
      repeated(() => updateClient(deps, this.#clientId, { rateLimit }));
    await limit(1);
    await until(() => refused() > before, 'a refused report');
    await limit(RATE_LIMIT);
    return `${refused() - before} reports refused`;
  }

  /** Sends no further batch. The open ones may take minutes, so `report` waits for them, after other comparisons. */
  stop(): void {
    this.#isStopped = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
    await this.#running;
  }

  /** Compares what was acknowledged with what is stored, and with what the nodes show. Call `stop` before. */
  async report(): Promise<ReporterReport> {
    await this.#running;
    const acknowledged = this.#acknowledged;
    await this.#replay();
    return {
      acknowledgedEvents: acknowledged.length,
      repeated: this.#sender.repeated,
      completedMs: this.#completedMs,
      ...(await compareStored(this.#store, this.#clientId, acknowledged)),
      differingSums: await differingSums(this.#nodes(), this.#token, acknowledged),
      wrong: this.#wrong,
    };
  }

  async #run(): Promise<void> {
    for (let number = 0; !this.#isStopped; ) {
      if (this.#open.size < MAX_OPEN) {
        const delivered = this.#deliver(makeBatch(number++, this.#trackIds));
        this.#open.add(delivered);
        void delivered.finally(() => this.#open.delete(delivered));
      }
      await sleep(EVERY_MS);
    }
    const stoppedMs = performance.now();
    await Promise.all(this.#open);
    this.#completedMs = performance.now() - stoppedMs;
  }

  /** Sends a batch until it is acknowledged. */
  async #deliver(batch: Batch): Promise<void> {
    const { number, events } = batch;
    this.#sentEvents += events.length;
    const cutOffMs = (7 * number) % CUT_OFF_MS;
    const request = this.#request(batch, number);
    const reply = await this.#sender.send({ ...request, ...(number % 5 === 0 && { cutOffMs }) });
    if (reply === undefined) this.#wrong.push(`batch ${number} is not acknowledged`);
    else if (reply.status === 200) this.#acknowledge(batch, reply);
    else this.#note(batch, reply);
  }

  #request({ key, events }: Batch, turn: number) {
    return { path: '/v1/usage', key, body: { events }, turn };
  }

  #acknowledge(batch: Batch, reply: Reply): void {
    const { accepted } = JSON.parse(reply.body).data;
    // The effect and the response of a key are one transaction, so no attempt finds the events of an earlier one.
    if (accepted !== batch.events.length) {
      this.#note(batch, reply);
      return;
    }
    for (const event of batch.events) this.#acknowledged.push(event);
    if (batch.number % REPLAY_INTERVAL === 0) this.#toReplay.push({ batch, body: reply.body });
  }

  #note({ number }: Batch, { status, body }: Reply): void {
    this.#wrong.push(`report ${number}: ${status} ${body.slice(0, 300)}`);
  }

  /** Asks every node in turn for the sums, which include all that was acknowledged before. */
  async #audit(): Promise<void> {
    for (let turn = 0; !this.#isStopped; turn++) {
      const nodes = this.#nodes();
      const node = nodes[turn % nodes.length]!;
      const least = this.#acknowledged.length;
      const path = '/v1/usage/summary?groupBy=type';
      const { status, body } = await node.send('GET', path, { token: this.#token });
      if (status === 200) {
        const { streams, downloads, syncs } = JSON.parse(body).data.totals;
        const events = streams + downloads + syncs;
        if (events < least || events > this.#sentEvents) {
          this.#wrong.push(
            `${node.name}: ${events} events, of ${least} acknowledged and ${this.#sentEvents} sent`,
          );
        }
      }
      await sleep(AUDIT_MS);
    }
  }

  /** Repeats acknowledged batches on every node, which must all send the first response again. */
  async #replay(): Promise<void> {
    for (const { batch, body } of this.#toReplay) {
      for (const turn of this.#nodes().keys()) {
        const request = this.#request(batch, turn);
        let reply = await this.#sender.attempt(request);
        await until(async () => {
          if (reply.status === 200) return true;
          reply = await this.#sender.attempt(request);
          return false;
        }, 'a repeated response');
        if (reply.body !== body || !reply.isReplayed) this.#note(batch, reply);
      }
    }
  }
}
