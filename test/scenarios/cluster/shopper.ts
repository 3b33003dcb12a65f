import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import type { TrackDelivery } from '../../../src/features/catalog/track.ts';
import type { Store } from '../../../src/features/store.ts';
import { delivery, importAll } from '../../harness/deliveries.ts';
import { LICENSEE, publishCard, quoteBody } from '../../harness/licensing.ts';
import { CARD } from '../../harness/rate-cards.ts';
import { until } from '../../harness/until.ts';
import { type Received, type Receiver, startReceiver } from '../../harness/webhook-receiver.ts';
import { newCredentials, tokenOf } from './credentials.ts';
import type { Node, Reply } from './node.ts';
import { PatientSender } from './patient-sender.ts';
import { repeated } from './repeated.ts';
import { compareShop, type Message, type ShopDifferences } from './shop-comparison.ts';

/** How often a track is bought, while fewer than the most are on their way. */
const EVERY_MS = 250;
const MAX_OPEN = 50;
/** The tracks for sale, and thus those of a collection. */
const TRACKS = 20;
const FIRST_TRACK = 2_000_000;
const PART = { name: null, durationSeconds: 9, audioKey: `${'c'.repeat(64)}.wav`, sizeBytes: 1 };
const FEATURES = ['licensing', 'stems', 'localization', 'saved-searches', 'webhooks'];

/** What a shopper has, as it was acknowledged. */
export interface Acknowledged {
  clientId: string;
  /** The numbers of the licenses by their quotes. */
  licenses: ReadonlyMap<string, string>;
  /** The ids of the tracks of each collection. */
  collections: ReadonlyMap<string, ReadonlySet<string>>;
}

/** What a shopper found. The differences must be 0, and `wrong` empty. */
export interface ShopReport extends ShopDifferences {
  licenses: number;
  items: number;
  messages: number;
  /** Attempts that were repeated. */
  repeated: number;
  /** Responses that a partner must not get. */
  wrong: readonly string[];
}

/** Tracks with stems and a translation. */
function tracksForSale(): TrackDelivery[] {
  return Array.from({ length: TRACKS }, (_, i) =>
    delivery(FIRST_TRACK + i, {
      stems: [
        { ...PART, kind: 'drums' },
        { ...PART, kind: 'bass' },
      ],
      versions: [],
      translations: [{ language: 'de', name: `Stück ${i}`, tags: null }],
    }),
  );
}

/**
 * A partner that quotes and licenses tracks, collects them, reads their stems and their German names, and is told of
 * its licenses and collections by a webhook.
 */
export class Shopper implements AsyncDisposable {
  readonly #store: Store;
  readonly #nodes: () => readonly Node[];
  readonly #token: string;
  readonly #sender: PatientSender;
  readonly #receiver: Receiver;
  /** The messages that the webhook has received. */
  readonly #messages: Message[] = [];
  readonly #tracks = tracksForSale();
  readonly #open = new Set<Promise<void>>();
  readonly #licenses = new Map<string, string>();
  readonly #collections = new Map<string, Set<string>>();
  /** The ids of the collections by their places. */
  readonly #created = new Map<number, Promise<string>>();
  readonly #wrong: string[] = [];
  readonly #clientId: string;
  #secret = '';
  #running = Promise.resolve();
  #isStopped = false;

  private constructor(
    store: Store,
    nodes: () => readonly Node[],
    client: { clientId: string; token: string; receiver: Receiver },
  ) {
    this.#store = store;
    this.#nodes = nodes;
    this.#clientId = client.clientId;
    this.#token = client.token;
    this.#receiver = client.receiver;
    this.#sender = new PatientSender(nodes, client.token);
  }

  /** @param nodes the nodes that a load balancer would select. */
  static async start(store: Store, nodes: () => readonly Node[]): Promise<Shopper> {
    await repeated(() => importAll(store, tracksForSale()));
    await repeated(() => publishCard(store));
    const terms = { scopes: ['tracks', ...FEATURES], features: FEATURES };
    const credentials = await newCredentials(store, 1_000_000, terms);
    const [token] = await Promise.all(
      nodes().map(async (node) => {
        const one = await tokenOf(node, credentials);
        const path = `/v1/tracks/${tracksForSale().at(-1)!.id}`;
        const isShown = async () => (await node.send('GET', path, { token: one })).status === 200;
        await until(isShown, 'the tracks for sale');
        return one;
      }),
    );
    const receiver = await startReceiver({ statusOf: (request) => shopper.#receive(request) });
    const client = { clientId: credentials.client_id, token: token!, receiver };
    const shopper = new Shopper(store, nodes, client);
    await shopper.#begin();
    return shopper;
  }

  /** Waits for what is on its way, which adds to the change log, and buys nothing more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.#receiver.close();
  }

  /** Compares what was acknowledged with what is stored, with what the nodes show, and with the messages. */
  async report(): Promise<ShopReport> {
    await this.#running;
    const [clientId, licenses, collections] = [this.#clientId, this.#licenses, this.#collections];
    const differences = await compareShop({
      ...{ store: this.#store, nodes: this.#nodes(), token: this.#token },
      acknowledged: { clientId, licenses, collections },
      messages: () => this.#messages,
    });
    const items = [...collections.values()].reduce((sum, { size }) => sum + size, 0);
    return {
      ...differences,
      ...{ licenses: licenses.size, items, messages: this.#messages.length },
      repeated: [...this.#sender.repeated.values()].reduce((sum, count) => sum + count, 0),
      wrong: this.#wrong,
    };
  }

  async #begin(): Promise<void> {
    const eventTypes = ['license.issued', 'collection.updated'];
    const body = { url: this.#receiver.url, eventTypes };
    const registered = await this.#send({ path: '/v1/webhooks', key: 'webhook', body, turn: 0 });
    this.#secret = registered.secret;
    this.#running = this.#run();
  }

  /** Verifies a message when it arrives, because the library refuses those whose time is five minutes ago. */
  #receive({ headers, body }: Received): number {
    try {
      const verified = new Webhook(this.#secret).verify(body, headers as Record<string, string>);
      this.#messages.push(verified as Message);
      return 204;
    } catch (error) {
      this.#wrong.push(`message ${headers['webhook-id']}: ${error}`);
      return 400;
    }
  }

  async #run(): Promise<void> {
    for (let n = 0; !this.#isStopped; ) {
      if (this.#open.size < MAX_OPEN) {
        const done = this.#shop(n++).catch((error: Error) => {
          this.#wrong.push(error.message);
        });
        this.#open.add(done);
        void done.finally(() => this.#open.delete(done));
      }
      await sleep(EVERY_MS);
    }
    await Promise.all(this.#open);
  }

  async #shop(n: number): Promise<void> {
    const track = this.#tracks[n % TRACKS]!;
    await this.#look(n, track);
    const quote = await this.#send({
      ...{ path: '/v1/quotes', key: `quote-${n}`, turn: n },
      body: quoteBody({ tracks: [track.id], territories: ['DE'] }),
    });
    const request = { quoteId: quote.id, termsVersion: CARD.termsVersion, licensee: LICENSEE };
    const license = await this.#send({
      ...{ path: '/v1/licenses', key: `license-${n}`, body: request, turn: n + 1 },
      // The response of some is lost.
      ...(n % 5 === 0 && { cutOffMs: (7 * n) % 40 }),
    });
    this.#licenses.set(quote.id, license.number);
    const collection = await this.#collection(Math.floor(n / TRACKS));
    const { added } = await this.#send({
      path: `/v1/collections/${collection}/items`,
      ...{
        key: `item-${n}`,
        body: { items: [{ track: track.id, note: `note ${n}` }] },
        turn: n + 2,
      },
    });
    if (added.length !== 1) throw new Error(`item ${n}: ${JSON.stringify(added)}`);
    this.#collections.get(collection)!.add(track.id);
  }

  /** Reads a track in German, and its stems. */
  async #look(n: number, { id }: TrackDelivery): Promise<void> {
    const get = { method: 'GET', turn: n } as const;
    const shown = await this.#send({ ...get, path: `/v1/tracks/${id}`, language: 'de-CH' });
    if (shown.name !== `Stück ${n % TRACKS}` || shown.language !== 'de') {
      throw new Error(`track ${id}: ${shown.name} in ${shown.language}`);
    }
    const { stems, versions } = await this.#send({ ...get, path: `/v1/tracks/${id}/stems` });
    const kinds = [...stems, ...versions].map(({ kind }: { kind: string }) => kind);
    if (kinds.join() !== 'drums,bass') throw new Error(`stems of ${id}: ${kinds}`);
  }

  #collection(place: number): Promise<string> {
    let created = this.#created.get(place);
    if (created === undefined) {
      const body = { name: `Collection ${place}` };
      const key = `collection-${place}`;
      created = this.#send({ path: '/v1/collections', key, body, turn: place }).then(({ id }) => {
        this.#collections.set(id, new Set());
        return id;
      });
      this.#created.set(place, created);
    }
    return created;
  }

  /** Returns the `data` of the response. Throws for one that a partner must not get. */
  // biome-ignore lint/suspicious/noExplicitAny: tests check the output of the program under test
  async #send(request: Parameters<PatientSender['send']>[0]): Promise<any> {
    const reply: Reply | undefined = await this.#sender.send(request);
    if (reply?.status !== 200 && reply?.status !== 201) {
      throw new Error(`${request.path}: ${reply?.status} ${reply?.body.slice(0, 300)}`);
    }
    return JSON.parse(reply.body).data;
  }
}
