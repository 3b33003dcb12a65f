import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { createClient, disableClient, revokeSecret } from '../../../src/access/clients.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import type { Store } from '../../../src/storage/store.ts';
import { BY, delivery, importAll } from '../../contract/deliveries.ts';
import { type PostgresServer, startPostgres } from '../../harness/postgres-server.ts';
import { type RedisServer, startRedis } from '../../harness/redis-server.ts';
import { until } from '../../harness/until.ts';
import { Load } from './load.ts';
import { makeNextRelease } from './next-release.ts';
import { type ClusterSettings, Node } from './node.ts';
import type { Phase, Report } from './report.ts';
import { Witness } from './witness.ts';
import { openStore, Writers } from './writers.ts';

/** How long and how hard. */
export interface ClusterOptions {
  /** Changes that the writers must have made before the end. */
  changes: number;
  writers: number;
  clients: number;
  /** How long the undisturbed phases last. */
  calmMs: number;
  staleLimitSeconds: number;
  /** Told of each phase as it ends. */
  log?: (line: string) => void;
}

const MARKER = delivery(1_000_000, { isrc: 'USUAN9999999', name: 'Marker' });

/** Three nodes on PostgreSQL and Redis under load, and everything that happens to them. */
export async function runCluster(options: ClusterOptions): Promise<Report> {
  await using postgres = await startPostgres(['max_connections=120']);
  const redis = await startRedis();
  const cluster = new Cluster(options, postgres, redis);
  try {
    return await cluster.run();
  } finally {
    await cluster.close();
    await redis.close();
  }
}

class Cluster {
  readonly #options: ClusterOptions;
  readonly #postgres: PostgresServer;
  readonly #redis: RedisServer;
  readonly #settings: ClusterSettings;
  readonly #phases: Phase[] = [];
  readonly #changeVisibleMs: number[] = [];
  readonly #revocationVisibleMs: number[] = [];
  readonly #closing: (() => Promise<void>)[] = [];
  #nodes: Node[] = [];
  #store!: Store;
  #load!: Load;
  #token = '';

  constructor(options: ClusterOptions, postgres: PostgresServer, redis: RedisServer) {
    this.#options = options;
    this.#postgres = postgres;
    this.#redis = redis;
    this.#settings = {
      databasePort: postgres.port,
      redisUrl: redis.url,
      staleLimitSeconds: options.staleLimitSeconds,
    };
  }

  async run(): Promise<Report> {
    const { options } = { options: this.#options };
    this.#store = await openStore(this.#postgres.url);
    this.#closing.push(() => this.#store.close());
    await importAll(this.#store, [MARKER]);
    this.#nodes = await Promise.all(
      ['node 1', 'node 2', 'node 3'].map((name) => Node.start(name, this.#settings)),
    );
    const credentials = await this.#client(1_000_000);
    this.#token = await this.#tokenOf(credentials);
    const witnesses = [
      await Witness.open(this.#postgres.url, true),
      await Witness.open(this.#postgres.url, false),
    ];
    const writers = new Writers(this.#postgres.url);
    this.#load = new Load({
      nodes: () => this.#nodes.filter((node) => node.isUp),
      token: this.#token,
      credentials,
    });
    writers.start(options.writers);
    this.#load.start(options.clients);
    try {
      await this.#phase('all is well', () => this.#calm());
      await this.#phase('a client is revoked', () => this.#revocations());
      await this.#phase('a limit of 600 is tried', () => this.#limit());
      await this.#phase('a node is killed with -9', () => this.#killNode());
      await this.#phase('PostgreSQL restarts (immediate)', () => this.#restartPostgres());
      await this.#phase('PostgreSQL stands still', () => this.#pausePostgres());
      await this.#phase('Redis is killed, and comes back', () => this.#killRedis());
      await this.#phase('a node is cut off from the database', () => this.#cutOff());
      await this.#phase('every connection is taken', () => this.#fillPool());
      await this.#phase('an upgrade is rolled out', () => this.#upgrade());
      await this.#phase('all is well again', async () => {
        const notes = await this.#calm();
        await until(() => writers.changes >= options.changes, 600_000);
        return notes;
      });
    } finally {
      await writers.stop();
      await this.#load.stop();
    }
    const seen = await Promise.all(witnesses.map((witness) => witness.missed()));
    for (const witness of witnesses) await witness.close();
    const stored = await this.#stored();
    const lost = [...writers.acknowledged].filter(
      ([id, version]) => (stored.get(id) ?? 0) < version,
    );
    return {
      phases: this.#phases,
      acknowledgedWrites: writers.changes,
      lostWrites: lost.length,
      changes: seen[0]!.changes,
      missedChanges: seen.reduce((sum, { missed }) => sum + missed, 0),
      differingTracks: await this.#differing(stored),
      overLimit: this.#overLimit,
      wrongAnswers: this.#phases.flatMap(({ tally }) => tally.wrong),
      changeVisibleMs: this.#changeVisibleMs,
      revocationVisibleMs: this.#revocationVisibleMs,
    };
  }

  async close(): Promise<void> {
    for (const node of this.#nodes) await node.close();
    for (const close of this.#closing) await close();
  }

  #overLimit = 0;

  async #phase(name: string, work: () => Promise<string[]>): Promise<void> {
    this.#load.take();
    const startMs = performance.now();
    const notes = await work();
    const tally = this.#load.take();
    this.#phases.push({ name, tally, notes });
    const seconds = ((performance.now() - startMs) / 1_000).toFixed(1);
    const answers = [...tally.byStatus].map(([status, count]) => `${status}: ${count}`).join(', ');
    this.#options.log?.(`${name} (${seconds} s): ${answers}; ${notes.join('; ')}`);
  }

  async #calm(): Promise<string[]> {
    const end = performance.now() + this.#options.calmMs;
    let tries = 0;
    while (performance.now() < end || tries < 5) {
      await this.#changeSeen();
      tries++;
    }
    return [];
  }

  /** Takes the marker down or restores it, and waits until every node has seen it. */
  async #changeSeen(): Promise<void> {
    const isLive = (await this.#store.catalog.trackRecord(MARKER.id))!.state === 'live';
    await this.#store.catalog.setState(MARKER.id, isLive ? 'taken_down' : 'live', BY);
    const startMs = performance.now();
    const wanted = isLive ? 0 : 1;
    await Promise.all(
      this.#nodes.map((node) =>
        until(async () => {
          const { pagination, items } = await node.data(
            `/v1/tracks?isrc=${MARKER.isrc}`,
            this.#token,
          );
          return (pagination?.totalRecords ?? items.length) === wanted;
        }),
      ),
    );
    this.#changeVisibleMs.push(performance.now() - startMs);
  }

  async #revocations(): Promise<string[]> {
    for (let i = 0; i < 10; i++) {
      const client = await this.#client(1_000_000);
      const token = await this.#tokenOf(client);
      await this.#everywhere(async (node) => {
        return (await node.send('GET', '/v1/me', { token })).status === 200;
      });
      const { secrets } = (await this.#store.clients.get(client.client_id))!;
      const secret = secrets.find(({ mode }) => mode === 'live');
      const desk = { store: this.#store, clock: systemClock, by: BY };
      if (i % 2 === 0) await disableClient(desk, client.client_id);
      else await revokeSecret(desk, client.client_id, secret!.id);
      const startMs = performance.now();
      await this.#everywhere(async (node) => {
        return (await node.send('GET', '/v1/me', { token })).status === 401;
      });
      this.#revocationVisibleMs.push(performance.now() - startMs);
    }
    return [];
  }

  async #limit(): Promise<string[]> {
    const client = await this.#client(600);
    const token = await this.#tokenOf(client);
    const replies = await Promise.all(
      Array.from({ length: 900 }, (_, i) => this.#nodes[i % 3]!.send('GET', '/v1/me', { token })),
    );
    const admitted = replies.filter(({ status }) => status === 200).length;
    const refused = replies.filter(({ status }) => status === 429).length;
    this.#overLimit += Math.max(0, admitted - 600);
    const others = replies.filter(({ status }) => status !== 200 && status !== 429);
    const told = others.map(({ status }) => status).join(', ');
    return [
      `of 900 at once ${admitted} were admitted, ${refused} refused${told && `, others: ${told}`}`,
    ];
  }

  async #killNode(): Promise<string[]> {
    await this.#nodes[1]!.end('SIGKILL');
    await sleep(1_000);
    const startMs = performance.now();
    await this.#nodes[1]!.restart();
    const ms = Math.round(performance.now() - startMs);
    await this.#changeSeen();
    return [`serves ${ms} ms after its start`];
  }

  async #restartPostgres(): Promise<string[]> {
    const startMs = performance.now();
    await this.#postgres.restartImmediately();
    const down = Math.round(performance.now() - startMs);
    return [`down for ${down} ms`, await this.#allAnswer(startMs + down)];
  }

  async #pausePostgres(): Promise<string[]> {
    this.#postgres.pause();
    await sleep(3_000);
    this.#postgres.resume();
    return ['for 3 s', await this.#allAnswer(performance.now())];
  }

  async #killRedis(): Promise<string[]> {
    await this.#redis.kill();
    await sleep(2_000);
    await this.#redis.start();
    await sleep(2_500);
    return this.#limit();
  }

  async #cutOff(): Promise<string[]> {
    const node = this.#nodes[2]!;
    const health = async () => (await node.send('GET', '/health-check')).status;
    node.link.cut();
    const startMs = performance.now();
    await until(async () => (await health()) === 503, 120_000);
    const healthyMs = performance.now() - startMs;
    const { status } = await node.send('GET', '/v1/me', { token: this.#token });
    node.link.mend();
    const mendedMs = performance.now();
    await until(async () => (await health()) === 200);
    const backMs = performance.now() - mendedMs;
    return [
      `healthy for ${(healthyMs / 1_000).toFixed(1)} s of a limit of ${this.#options.staleLimitSeconds} s`,
      `then ${status}`,
      `healthy again ${Math.round(backMs)} ms after the link was mended`,
    ];
  }

  async #fillPool(): Promise<string[]> {
    const taken: pg.Client[] = [];
    for (;;) {
      const client = new pg.Client({ connectionString: this.#postgres.url });
      client.on('error', () => {});
      try {
        await client.connect();
        taken.push(client);
      } catch {
        break;
      }
    }
    await sleep(2_000);
    await Promise.all(taken.map((client) => client.end()));
    return [`${taken.length} connections held for 2 s`, await this.#allAnswer(performance.now())];
  }

  async #upgrade(): Promise<string[]> {
    const next = makeNextRelease();
    this.#closing.push(async () => next.remove());
    const codes: (number | null)[] = [];
    for (const [i, old] of [...this.#nodes].entries()) {
      const fresh = await Node.start(`${old.name}, next release`, this.#settings, next.main);
      this.#nodes[i] = fresh;
      codes.push(await old.end('SIGTERM'));
      await old.close();
      await this.#changeSeen();
      // The old release can still be started beside the new schema: a rollout can be stopped half-way.
      if (i === 0) await (await Node.start('node of the old release', this.#settings)).close();
    }
    return [`old nodes ended with ${codes.join(', ')}`];
  }

  /** How long after the given time every node answers from the database again. */
  async #allAnswer(sinceMs: number): Promise<string> {
    await this.#everywhere(async (node) => {
      return (await node.send('GET', '/v1/playlists', { token: this.#token })).status === 200;
    });
    const ms = Math.round(performance.now() - sinceMs);
    await this.#changeSeen();
    return `every node answered from it ${ms} ms later`;
  }

  async #everywhere(holds: (node: Node) => Promise<boolean>): Promise<void> {
    await Promise.all(this.#nodes.map((node) => until(() => holds(node), 60_000)));
  }

  async #client(rateLimit: number): Promise<{ client_id: string; client_secret: string }> {
    const { clientId, liveSecret } = await createClient(
      { store: this.#store, clock: systemClock, by: BY },
      { name: 'Partner', scopes: ['tracks', 'search', 'filters', 'playlists'], rateLimit },
    );
    return { client_id: clientId, client_secret: liveSecret };
  }

  async #tokenOf(credentials: { client_id: string; client_secret: string }): Promise<string> {
    const body = { grant_type: 'client_credentials', ...credentials };
    let token = '';
    await until(async () => {
      const reply = await this.#nodes[0]!.send('POST', '/v1/auth/token', { body });
      if (reply.status === 200) token = JSON.parse(reply.body).data.access_token;
      return token !== '';
    });
    return token;
  }

  /** By track: its version in the database. */
  async #stored(): Promise<Map<string, number>> {
    const client = new pg.Client({ connectionString: this.#postgres.url });
    await client.connect();
    const { rows } = await client.query(`SELECT id, bpm FROM tracks WHERE state = 'live'`);
    await client.end();
    return new Map(rows.map(({ id, bpm }) => [id, bpm]));
  }

  /** Walks all pages of every node and compares each track with what is stored. */
  async #differing(stored: ReadonlyMap<string, number>): Promise<number> {
    const differences = await Promise.all(
      this.#nodes.map(async (node) => {
        const shown = new Map<string, number>();
        for (let page = 1; ; page++) {
          const { items } = await node.data(`/v1/tracks?pageSize=100&page=${page}`, this.#token);
          for (const { id, bpm } of items) shown.set(id, Number(bpm));
          if (items.length === 0) break;
        }
        const ids = new Set([...stored.keys(), ...shown.keys()]);
        return [...ids].filter((id) => stored.get(id) !== shown.get(id)).length;
      }),
    );
    return differences.reduce((sum, count) => sum + count, 0);
  }
}
