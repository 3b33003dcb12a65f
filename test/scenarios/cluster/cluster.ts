import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../../src/common/clock.ts';
import { setClientEnabled } from '../../../src/features/access/clients.ts';
import type { Store } from '../../../src/features/store.ts';
import { takeAllConnections } from '../../harness/connections.ts';
import { BY, deliveries, delivery, importAll } from '../../harness/deliveries.ts';
import { type PostgresServer, startPostgres } from '../../harness/postgres-server.ts';
import { type RedisServer, startRedis } from '../../harness/redis-server.ts';
import { setTrackState } from '../../harness/track-state.ts';
import { until } from '../../harness/until.ts';
import { ClusterMirror } from './cluster-mirror.ts';
import { newCredentials, tokenOf } from './credentials.ts';
import { differingTracks, storedVersions } from './database.ts';
import { Load } from './load.ts';
import { makeNextRelease } from './next-release.ts';
import { type ClusterSettings, Node } from './node.ts';
import type { ClusterOptions } from './options.ts';
import { sendBurst } from './rate-limit.ts';
import { repeated } from './repeated.ts';
import type { Phase, Report } from './report.ts';
import { Reporter } from './reporter.ts';
import { Shopper } from './shopper.ts';
import { Witness } from './witness.ts';
import { openStore, Writers } from './writers.ts';

const MARKER = delivery(1_000_000, { isrc: 'USUAN9999999', name: 'Marker' });
/** The tracks whose use is reported. The marker is taken down at times. */
const USED = [MARKER, ...deliveries(1_000_001, 1_000_007)];
const USED_IDS = USED.map(({ id }) => id);

/** Runs three nodes on PostgreSQL and Redis under load, with every kind of failure. */
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
    const [options, { url }] = [this.#options, this.#postgres];
    this.#store = await openStore(url);
    this.#closing.push(() => this.#store.close());
    await repeated(() => importAll(this.#store, USED));
    const names = ['node 1', 'node 2', 'node 3'];
    this.#nodes = await Promise.all(names.map((name) => Node.start(name, this.#settings)));
    const credentials = await newCredentials(this.#store, 1_000_000);
    this.#token = await tokenOf(this.#nodes[0]!, credentials);
    const witnesses = [await Witness.open(url, true), await Witness.open(url, false)];
    const { pauseMs } = options;
    const writers = new Writers(url, pauseMs);
    const nodes = () => this.#nodes.filter((node) => node.isUp);
    await using mirror = await ClusterMirror.start(this.#store, nodes);
    await using reporter = await Reporter.start(this.#store, nodes, USED_IDS);
    await using shopper = await Shopper.start(this.#store, nodes);
    this.#load = new Load({ nodes, token: this.#token, credentials, pauseMs });
    writers.start(options.writers);
    this.#load.start(options.clients);
    try {
      await this.#phase('without a failure', () => this.#calm());
      // Early, because the keys of the requests that die with a node stay claimed for a minute.
      await this.#phase('a node is killed with -9', () => this.#killNode());
      await this.#phase('a client is revoked', () => this.#revocations());
      await this.#phase('a limit of 600 is tried', async () => {
        return [...(await this.#limit()), await reporter.throttle()];
      });
      await this.#phase('PostgreSQL restarts (immediate)', () => this.#restartPostgres());
      await this.#phase('PostgreSQL is paused', () => this.#pausePostgres());
      await this.#phase('Redis is killed, and comes back', () => this.#killRedis());
      await this.#phase('a node is disconnected from the database', () => this.#cutOff());
      await this.#phase('every connection is taken', () => this.#fillPool());
      await this.#phase('an upgrade is rolled out', () => this.#upgrade());
      await this.#phase('without a failure, again', async () => {
        const notes = await this.#calm();
        await until(() => writers.changes >= options.changes, 'the changes', 7_200_000);
        return notes;
      });
    } finally {
      reporter.stop();
      await Promise.all([writers.stop(), this.#load.stop(), shopper.stop()]);
    }
    const seen = await Promise.all(witnesses.map((witness) => witness.missed()));
    await Promise.all(witnesses.map((witness) => witness.close()));
    const stored = await storedVersions(url);
    const lost = [...writers.acknowledged].filter(
      ([id, version]) => (stored.get(id) ?? 0) < version,
    );
    return {
      phases: this.#phases,
      acknowledgedWrites: writers.changes,
      lostWrites: lost.length,
      changes: seen[0]!.changes,
      missedChanges: seen.reduce((sum, { missed }) => sum + missed, 0),
      differingTracks: await differingTracks(url, this.#nodes, this.#token),
      mirror: await mirror.report(this.#store, this.#nodes[0]!, this.#token),
      usage: await reporter.report(),
      shop: await shopper.report(),
      overLimit: this.#overLimit,
      wrongResponses: this.#phases.flatMap(({ tally }) => tally.wrong),
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
    const responses = [...tally.byStatus]
      .map(([status, count]) => `${status}: ${count}`)
      .join(', ');
    this.#options.log?.(`${name} (${seconds} s): ${responses}; ${notes.join('; ')}`);
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

  /** Takes the marker track down or restores it, and waits until every node shows the change. */
  async #changeSeen(): Promise<void> {
    const { catalog } = this.#store;
    const isLive = (await repeated(() => catalog.trackRecord(MARKER.id)))!.state === 'live';
    await repeated(() => setTrackState(this.#store, MARKER.id, isLive ? 'taken_down' : 'live', BY));
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
      const client = await newCredentials(this.#store, 1_000_000);
      const token = await tokenOf(this.#nodes[0]!, client);
      await this.#everywhere(async (node) => {
        return (await node.send('GET', '/v1/me', { token })).status === 200;
      });
      const { clients } = this.#store;
      const { secrets } = (await repeated(() => clients.get(client.client_id)))!;
      const secret = secrets.find(({ mode }) => mode === 'live');
      const deps = { store: this.#store, clock: systemClock, by: BY };
      await repeated(async () => {
        if (i % 2 === 0) await setClientEnabled(deps, client.client_id, false);
        else await clients.revokeSecret(client.client_id, secret!.id, BY);
      });
      const startMs = performance.now();
      await this.#everywhere(async (node) => {
        return (await node.send('GET', '/v1/me', { token })).status === 401;
      });
      this.#revocationVisibleMs.push(performance.now() - startMs);
    }
    return [];
  }

  async #limit(): Promise<string[]> {
    const { overLimit, note } = await sendBurst(this.#store, this.#nodes);
    this.#overLimit += overLimit;
    return [note];
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
    return this.#limit();
  }

  async #cutOff(): Promise<string[]> {
    const node = this.#nodes[2]!;
    const health = async () => (await node.send('GET', '/health-check')).status;
    node.link.cut();
    const startMs = performance.now();
    await until(async () => (await health()) === 503, 'the node to be stale', 120_000);
    const healthyMs = performance.now() - startMs;
    const { status } = await node.send('GET', '/v1/me', { token: this.#token });
    node.link.mend();
    const mendedMs = performance.now();
    await until(async () => (await health()) === 200);
    const backMs = performance.now() - mendedMs;
    return [
      `healthy for ${(healthyMs / 1_000).toFixed(1)} s of a limit of ${this.#options.staleLimitSeconds} s`,
      `then ${status}`,
      `healthy again ${Math.round(backMs)} ms after the link was restored`,
    ];
  }

  async #fillPool(): Promise<string[]> {
    const taken = await takeAllConnections(this.#postgres.url);
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
      // The old release still starts with the new schema, so that a rollout can stop halfway.
      if (i === 0) await (await Node.start('node of the old release', this.#settings)).close();
    }
    return [`old nodes ended with ${codes.join(', ')}`];
  }

  /** Returns how long after the given time every node responds from the database again. */
  async #allAnswer(sinceMs: number): Promise<string> {
    await this.#everywhere(async (node) => {
      return (await node.send('GET', '/v1/playlists', { token: this.#token })).status === 200;
    });
    const ms = Math.round(performance.now() - sinceMs);
    await this.#changeSeen();
    return `every node responded from it ${ms} ms later`;
  }

  async #everywhere(holds: (node: Node) => Promise<boolean>): Promise<void> {
    await Promise.all(this.#nodes.map((node) => until(() => holds(node))));
  }
}
