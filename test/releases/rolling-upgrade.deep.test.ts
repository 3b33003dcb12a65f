import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MIGRATIONS } from '../../src/engines/sql/migrations.ts';
import { type TemporaryFolder, temporaryFolder } from '../harness/cli.ts';
import { LICENSEE, quoteBody } from '../harness/licensing.ts';
import { canStartPostgres } from '../harness/postgres-programs.ts';
import { startPostgres } from '../harness/postgres-server.ts';
import { until } from '../harness/until.ts';
import { tokenOf } from '../scenarios/cluster/credentials.ts';
import { Load } from '../scenarios/cluster/load.ts';
import { Node } from '../scenarios/cluster/node.ts';
import { PatientSender } from '../scenarios/cluster/patient-sender.ts';
import { fillPostgres, hasProgram, releaseStores, unpackProgram } from './release-stores.ts';

/** The oldest version that may run beside this one, by the schema. */
const release = releaseStores().find(({ schema }) => schema >= MIGRATIONS.at(-1)!.compatibleFrom)!;
const canRun = canStartPostgres && hasProgram(release);
/** How long a writer pauses after each license. */
const PAUSE_MS = 50;
/** The least licenses that are sold before the next node is replaced. */
const SOLD = 5;

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder[Symbol.dispose]());

describe.skipIf(!canRun)(`two nodes of ${release.name}`, () => {
  it('are replaced by this version one after the other, under load', async () => {
    await using postgres = await startPostgres();
    await fillPostgres(release, postgres.url);
    const old = unpackProgram(release, folder.at('program'));
    const settings = { databasePort: postgres.port, redisUrl: '', staleLimitSeconds: 10 };
    const names = ['node 1', 'node 2'];
    const nodes = await Promise.all(names.map((name) => Node.start(name, settings, old)));
    const started = [...nodes];
    const { clientId, liveSecret } = release.partner;
    const credentials = { client_id: clientId, client_secret: liveSecret };
    const token = await tokenOf(nodes[0]!, credentials);
    const load = new Load({ nodes: () => nodes, token, credentials, pauseMs: PAUSE_MS });
    const partner = new Partner(() => nodes, token);
    try {
      load.start(3);
      partner.start();

      await partner.sells(SOLD);
      for (const [i, former] of [...nodes].entries()) {
        const fresh = await Node.start(`new ${former.name}`, settings);
        started.push(fresh);
        nodes.push(fresh);
        // The three nodes serve together.
        await partner.sells(SOLD);
        nodes.splice(nodes.indexOf(former), 1);
        expect(await former.end('SIGTERM'), former.output).toBe(0);
        await partner.sells(SOLD);
        if (i > 0) continue;
        // A rollout may stop halfway, and the node may return to the former version.
        const returned = await Node.start('returned node', settings, old);
        started.push(returned);
        nodes.push(returned);
        await partner.sells(SOLD);
        nodes.splice(nodes.indexOf(returned), 1);
        expect(await returned.end('SIGTERM'), returned.output).toBe(0);
      }
      await Promise.all([load.stop(), partner.stop()]);

      const tally = load.take();
      expect([...tally.wrong, ...partner.wrong]).toEqual([]);
      expect(tally.byStatus.get('200')).toBeGreaterThan(50);
      await partner.expectAllOn(nodes);
      const errors = started.map((node) =>
        node.output.split('\n').filter((line) => line.includes('"level":"error"')),
      );
      expect(errors.flat()).toEqual([]);
    } finally {
      await Promise.all([load.stop(), partner.stop()]);
      for (const node of started) await node.close();
    }
  });
});

/** A partner that buys licenses and collects tracks on all nodes in turn, each step on another one. */
class Partner {
  readonly #sender: PatientSender;
  readonly #token: string;
  readonly #licenses: string[] = [];
  readonly #items = new Map<string, string>();
  readonly wrong: string[] = [];
  #running = Promise.resolve();
  #isStopped = false;

  constructor(nodes: () => readonly Node[], token: string) {
    this.#sender = new PatientSender(nodes, token);
    this.#token = token;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  /** Resolves when so many more licenses are sold. */
  async sells(count: number): Promise<void> {
    const wanted = this.#licenses.length + count;
    const isSold = () => this.#licenses.length >= wanted || this.wrong.length > 0;
    await until(isSold, 'the licenses', 120_000);
  }

  /** Expects each node to show everything that was acknowledged. */
  async expectAllOn(nodes: readonly Node[]): Promise<void> {
    expect(nodes).toHaveLength(2);
    expect(new Set(this.#licenses).size).toBe(this.#licenses.length);
    for (const node of nodes) {
      for (const number of this.#licenses) {
        const shown = await node.data(`/v1/licenses/${number}`, this.#token);
        expect(shown).toMatchObject({ number, status: 'active' });
      }
      for (const [collection, note] of this.#items) {
        const { items } = await node.data(`/v1/collections/${collection}/tracks`, this.#token);
        expect(items, note).toMatchObject([{ note, track: { slug: 'track-6' } }]);
      }
    }
  }

  async #run(): Promise<void> {
    for (let n = 0; !this.#isStopped; n++) {
      await this.#buy(n).catch((error: Error) => this.wrong.push(error.message));
      await sleep(PAUSE_MS);
    }
  }

  async #buy(n: number): Promise<void> {
    const quote = await this.#send(n, '/v1/quotes', quoteBody({ tracks: ['track-6'] }));
    const { id: quoteId, termsVersion } = quote;
    const request = { quoteId, termsVersion, licensee: LICENSEE };
    const { number } = await this.#send(n + 1, '/v1/licenses', request);
    const collection = await this.#send(n, '/v1/collections', { name: `Collection ${n}` });
    const path = `/v1/collections/${collection.id}/items`;
    const note = `note ${n}`;
    const items = [{ track: 'track-6', note }];
    const { added } = await this.#send(n + 1, path, { items });
    if (added.length !== 1) throw new Error(`${path}: ${JSON.stringify(added)}`);
    this.#licenses.push(number);
    this.#items.set(collection.id, note);
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests check the output of the program under test
  async #send(turn: number, path: string, body: object): Promise<any> {
    const key = crypto.randomUUID();
    const reply = await this.#sender.send({ path, body, key, turn });
    if (reply?.status !== 200 && reply?.status !== 201) {
      throw new Error(`${path}: ${reply?.status} ${reply?.body.slice(0, 300)}`);
    }
    return JSON.parse(reply.body).data;
  }
}
