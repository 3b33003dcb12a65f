import { createClient } from './access/clients.ts';
import { GuessLimiter } from './access/guess-limiter.ts';
import { KeyRing } from './access/key-ring.ts';
import { MemoryRateLimiter } from './access/memory-rate-limiter.ts';
import { ACCESS_ENTITIES, ClientRegistry } from './access/registry.ts';
import { TokenIssuer } from './access/token-issuer.ts';
import { TokenVerifier } from './access/token-verifier.ts';
import { AnswerCache } from './api/answer-cache.ts';
import { createAuthenticate } from './api/authenticate.ts';
import { Metrics } from './api/metrics.ts';
import { startMetricsListener } from './api/metrics-listener.ts';
import { Readiness } from './api/readiness.ts';
import { apiRoutes } from './api/routes.ts';
import { buildServer, type HttpServer } from './api/server.ts';
import { measureSharedLimiter } from './api/shared-limiter-metrics.ts';
import { measureStore } from './api/store-metrics.ts';
import { TrackPages } from './api/tracks/track-page.ts';
import { LiveAudio } from './catalog/live-audio.ts';
import { LiveCatalog } from './catalog/live-catalog.ts';
import { Follower } from './changes/follower.ts';
import type { Config } from './config.ts';
import { greeting } from './demo/greeting.ts';
import { loadDemo } from './demo/load.ts';
import { type House, openHouse } from './house.ts';
import { IndexJobs } from './index-jobs.ts';
import { ServiceIndexSource } from './index-source.ts';
import type { Clock } from './kernel/clock.ts';
import { newId } from './kernel/ids.ts';
import { whileHeld } from './kernel/lease.ts';
import type { Log } from './kernel/log.ts';
import { leasedExpiry } from './leased-expiry.ts';
import { Popularity } from './licensing/popularity.ts';
import { PopularityFeed } from './licensing/popularity-feed.ts';
import { listen, readTls } from './listen.ts';
import { StreamUrls } from './media/signed-url.ts';
import { locationOf } from './open-store.ts';
import { RedisRateLimiter } from './storage/redis/rate-limiter.ts';
import type { Crew } from './workers/crew.ts';

/** Room for some 1,500 pages of 20 tracks, asked again within 10 s. */
const ANSWER_CACHE_BYTES = 32 * 1024 * 1024;

/** A node that died while it made the demo is waited for so long. */
const DEMO_LEASE_MS = 15_000;

/** A fault that lasts is told so often. */
const TELL_AGAIN_MS = 10_000;

/** All licences are counted again when some have changed, but not oftener than this. */
const POPULARITY_POLL_MS = 1_000;

/** A running Stave. */
export interface Service {
  house: House;
  app: HttpServer;
  /** Where it listens: scheme, host and port. */
  address: string;
  /** What a person should read once it runs: where it is, and the demo's credentials. */
  greeting: string;
  /** Lets requests in flight finish, then closes what was opened, last opened first. */
  close(): Promise<void>;
}

/**
 * Starts to serve. The port is taken first and answers `unavailable` until the catalog is in memory,
 * so that a load balancer sees the node coming; the promise resolves when it serves.
 */
export async function startService(deps: {
  config: Config;
  clock: Clock;
  log: Log;
  /** Where it is one of several in its process. */
  crew?: Crew;
}): Promise<Service> {
  const { config, clock, log, crew } = deps;
  const isFirst = crew?.isFirst ?? true;
  const closing: (() => Promise<void>)[] = [];
  const close = async () => {
    const faults: unknown[] = [];
    for (const closeOne of closing.splice(0).reverse()) {
      // What fails to close must not keep the rest open.
      await closeOne().catch((fault: unknown) => faults.push(fault));
    }
    if (faults.length > 0) throw faults.length === 1 ? faults[0] : new AggregateError(faults);
  };
  try {
    const house = await openHouse(deps);
    closing.push(house.close);
    const { store, media } = house;
    await media.check();

    const keyRing = new KeyRing({ keys: store.keys, clock });
    const registry = new ClientRegistry({
      clients: store.clients,
      playlists: store.playlists,
      changes: store.changes,
    });
    const source = new ServiceIndexSource({
      store,
      maker: crew?.indexMaker ?? new IndexJobs({ location: locationOf(config), clock, log }),
      merges: isFirst,
    });
    closing.push(() => source.close());
    const catalog = new LiveCatalog({ store: store.catalog, source });
    const audio = new LiveAudio(store.catalog);
    const popularityFeed = new PopularityFeed({
      licences: store.licences,
      changes: store.changes,
      sink: catalog,
    });
    let toldAt = Number.NEGATIVE_INFINITY;
    const onError = (error: unknown) => {
      // That it is away, the store has said once; other faults come with every poll.
      if (!store.isReachable() || performance.now() - toldAt < TELL_AGAIN_MS) return;
      toldAt = performance.now();
      log.error({ err: error }, 'following the change log failed');
    };
    const following = {
      log: store.changes,
      pollMs: config.database === null ? 100 : 250,
      watch: (wake: () => void) => store.changes.watch(wake),
      onError,
    };
    // What was committed before this is loaded, what comes after is followed: nothing falls between.
    const from = await store.changes.head();
    const accessFollower = new Follower({
      ...following,
      entities: ACCESS_ENTITIES,
      from,
      apply: async (changes) => {
        await keyRing.apply(changes);
        await registry.apply(changes);
      },
    });
    closing.push(() => accessFollower.stop());
    const catchUp = async () => {
      await accessFollower.poll();
    };
    // By itself: what is remembered for an outage is never far behind, as the index may be.
    const audioFollower = new Follower({
      ...following,
      entities: ['track'],
      from,
      apply: async (changes) => audio.forget(changes.map(({ entityId }) => entityId)),
    });
    closing.push(() => audioFollower.stop());
    let catalogFollower: Follower | undefined;
    const expiry = leasedExpiry({ store, clock, log });
    closing.push(() => expiry.stop());

    /** Nodes that start at once on one database must not both make the demo. */
    const inTurn = <T>(work: () => Promise<T>) =>
      whileHeld(
        { leases: store.leases, name: 'demo', holder: newId(), ms: DEMO_LEASE_MS, onError },
        work,
      );
    let address = '';
    const publicUrl = () => config.publicUrl ?? address;
    const readiness = new Readiness({
      // Who cannot see revocations and takedowns must not serve for long.
      isStale: () => accessFollower.unconfirmedMs > config.staleLimitSeconds * 1_000,
    });
    const metrics = new Metrics();
    metrics.gauge('stave_tracks', 'Live tracks in the index.', () => catalog.size);
    metrics.gauge(
      'stave_change_log_lag',
      'Changes of tracks that the index has yet to take in.',
      () => catalogFollower?.lag ?? 0,
    );
    measureStore(metrics, store, accessFollower);
    const localLimiter = new MemoryRateLimiter({ clock, ...(crew && { windows: crew.rates }) });
    const sharedLimiter =
      config.redisUrl === null
        ? undefined
        : new RedisRateLimiter({ url: config.redisUrl, local: localLimiter, clock, log });
    closing.push(async () => sharedLimiter?.close());
    const redisTried = sharedLimiter?.start();
    if (sharedLimiter !== undefined) measureSharedLimiter(metrics, sharedLimiter);
    const streamUrls = new StreamUrls({ keys: keyRing });
    const answers = new AnswerCache({
      maxBytes: ANSWER_CACHE_BYTES,
      catalogVersion: () => catalog.version,
      urlPeriod: () => streamUrls.period(clock.now()),
    });
    const app = buildServer({
      answers,
      routes: apiRoutes({
        catalog,
        store,
        media,
        audio,
        mediaDelivery: config.media?.delivery ?? 'proxy',
        registry,
        issuer: new TokenIssuer({ keyRing, clock }),
        guesses: new GuessLimiter({ clock, ...(crew && { windows: crew.guesses }) }),
        catchUp,
        pages: new TrackPages({ documents: catalog, urls: streamUrls, clock, publicUrl }),
        popularity: new Popularity({
          licences: store.licences,
          changes: store.changes,
          catalog,
          clock,
        }),
        streamUrls,
        publicUrl,
        readiness,
        clock,
        log,
      }),
      authenticate: createAuthenticate({
        verifier: new TokenVerifier({ keyRing, registry, clock, catchUp }),
      }),
      rateLimiter: sharedLimiter ?? localLimiter,
      clock,
      log,
      tls: await readTls(config),
      trustProxy: config.trustProxy,
      metrics,
      readiness,
    });
    closing.push(() => app.close());
    address = await listen(app, config, { isShared: crew !== undefined });

    if (config.metrics !== null) {
      const listener = await startMetricsListener({ metrics, ...config.metrics });
      closing.push(() => listener.close());
    }

    await crew?.listening(address, metrics);
    await keyRing.open('system:start');
    const load = () => loadDemo({ store, media, clock, log, createClient });
    const demo = config.demo ? await (config.database === null ? load() : inTurn(load)) : undefined;
    await registry.load();
    await Promise.all([catalog.load(), popularityFeed.load()]);
    catalogFollower = new Follower({
      ...following,
      entities: ['track'],
      from: catalog.position,
      apply: (changes, head) => catalog.apply(changes, head),
    });
    const licenceFollower = new Follower({
      log: store.changes,
      entities: ['licence'],
      from: popularityFeed.position,
      pollMs: POPULARITY_POLL_MS,
      apply: (changes) => popularityFeed.apply(changes),
      onError,
    });
    for (const follower of [catalogFollower, licenceFollower]) {
      closing.push(() => follower.stop());
      follower.start();
    }
    // First of all: a follower ends with what it is at, which may be a build of many seconds.
    closing.push(() => source.close());
    accessFollower.start();
    audioFollower.start();
    // A snapshot may be some changes behind; nothing older than the start may be missing.
    await catalogFollower.caughtUp(from);
    await accessFollower.poll();
    expiry.start();
    crew?.onBase(async (columns) => {
      const isNewer = await source.goOver(columns, (base) => catalog.adopt(base, store.changes));
      if (isNewer) log.info({ tracks: columns.meta.size }, 'search index shared');
    });
    await redisTried;
    await crew?.loaded();
    readiness.serve();
    log.info({ address, tracks: catalog.size }, 'serving');
    return {
      house,
      app,
      address,
      greeting: greeting({
        address: publicUrl(),
        demo,
        streamPath: (trackId, clientId) => streamUrls.sign(trackId, clientId, 'test', clock.now()),
      }),
      close,
    };
  } catch (error) {
    await close().catch((fault: unknown) => log.error({ err: fault }, 'closing failed'));
    throw error;
  }
}
