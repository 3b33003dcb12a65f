import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../src/app/config/config.ts';
import { type AppContext, openAppContext } from '../../src/app/open/context.ts';
import { type Service, startService } from '../../src/app/service.ts';
import { type Mode, SCOPES } from '../../src/common/caller.ts';
import { type Log, silentLog } from '../../src/common/log.ts';
import { createClient } from '../../src/features/access/clients.ts';
import type { TrackDelivery } from '../../src/features/catalog/track.ts';
import { Call, type CallOptions, type CheckedResponse } from './call.ts';
import { deliveries } from './catalog.ts';
import { TestClock } from './clock.ts';
import { type Contract, contractOf } from './contract.ts';
import { HttpCaller } from './http.ts';
import { createDatabase, ON_POSTGRES } from './services.ts';
import { until } from './until.ts';

/** A client of the server. Its tokens are requested when a test needs them. */
export interface TestClient {
  clientId: string;
  testSecret: string;
  liveSecret: string;
  /** A token of the mode (by default test), reused until a test requests a fresh one. */
  token(options?: { mode?: Mode; scope?: string; fresh?: boolean }): Promise<string>;
}

/** A real Stave on its own port, and the operator's access to the same data folder. */
export interface TestServer {
  address: string;
  clock: TestClock;
  /** The configuration, with which a test can start another node on the same data. */
  config: Config;
  service: Service;
  /** The catalog as another process opens it, while the service runs. */
  operator: AppContext;
  http: HttpCaller;
  contract: Contract;
  createClient(options?: {
    scopes?: readonly string[];
    features?: readonly string[];
    rateLimit?: number;
  }): Promise<TestClient>;
  deliver(tracks: readonly TrackDelivery[]): Promise<void>;
  /** Calls an operation by its id and compares the response with the OpenAPI document. */
  call(operationId: string, options?: CallOptions): Promise<CheckedResponse>;
  /** Waits until the condition holds; fails after a minute. */
  until(condition: () => Promise<boolean>): Promise<void>;
  close(): Promise<void>;
}

/** Starts a server; always close it. `tracks` is its catalog, by default the 60 tracks of `catalog.ts`. */
export async function startTestServer({
  tracks = deliveries(60),
  config: overrides = {},
  log = silentLog,
  nameServers,
  explorerFolder,
  folder: given,
}: {
  tracks?: readonly TrackDelivery[];
  config?: Partial<Config>;
  log?: Log;
  /** The name servers that are asked for the addresses of webhooks. */
  nameServers?: readonly string[];
  /** Where the built explorer is, if not in `web/dist`. */
  explorerFolder?: URL;
  /** The data folder, which stays when the server is closed; by default a new one. */
  folder?: string;
} = {}): Promise<TestServer> {
  const folder = given ?? (await mkdtemp(join(tmpdir(), 'stave-server-')));
  const clock = TestClock.running();
  const database = ON_POSTGRES ? await createDatabase() : null;
  const config: Config = {
    host: '127.0.0.1',
    port: 0,
    dataFolder: folder,
    publicUrl: null,
    demo: false,
    tls: null,
    trustProxy: false,
    maxConnections: { inAll: 10_000, ofAddress: 2_000 },
    metrics: null,
    tracing: null,
    metricsHosts: [],
    console: null,
    consoleUserHeader: null,
    consolePasswords: true,
    logLevel: 'silent',
    database: database && { url: database.url, pool: 4 },
    databaseWaitMs: 300_000,
    staleLimitSeconds: 60,
    historyYears: 10,
    usageMaxAgeDays: 7,
    licensor: 'Stave',
    catalogLanguage: 'en',
    // So that receivers of tests are reached.
    webhookTargets: 'any',
    // Without threads that make MP3s, streams are the delivered files. Tests of both choose them.
    streams: 'playable',
    previewThreads: 0,
    streamKbps: 192,
    // A test of it adds the jobs itself.
    streamAhead: 0,
    streamCacheGb: 1,
    analysis: false,
    ffmpeg: { setting: null, searchPath: process.env.PATH ?? '' },
    // A test of it chooses it.
    embeddings: { setting: 'off', model: '', key: null },
    redisUrl: null,
    media: null,
    backupSchedule: null,
    mcp: { url: 'http://127.0.0.1:8080', clientId: null, clientSecret: null },
    sudoUser: null,
    systemd: null,
    ...overrides,
  };
  const operator = await openAppContext({ config, clock, log });
  const deliver = async (records: readonly TrackDelivery[]) => {
    const session = await operator.store.catalog.openDelivery('test:harness', 'harness');
    await session.deliver(records);
    await session.close();
  };
  await deliver(tracks);
  const service = await startService({
    config,
    clock,
    log,
    startConsole: async (options) =>
      (await import('../../src/operator/console/server/start.ts')).startConsole(options),
    ...(nameServers && { nameServers }),
    ...(explorerFolder && { explorerFolder }),
  });
  const http = new HttpCaller(service.address);
  const document = await http.send('GET', '/openapi.json');
  const contract = contractOf(document.body.toString('utf8'), service.address);
  const call = new Call({ http, contract });

  return {
    address: service.address,
    clock,
    config,
    service,
    operator,
    http,
    contract,
    deliver,
    call: (operationId, options) => call.perform(operationId, options),
    async createClient({ scopes = SCOPES, features, rateLimit } = {}) {
      const created = await createClient(operator, {
        name: 'Test client',
        scopes,
        ...(features !== undefined && { features }),
        // So high that only the tests of the limit reach it.
        rateLimit: rateLimit ?? 100_000,
      });
      const tokens = new Map<string, string>();
      return {
        ...created,
        async token({ mode = 'test', scope, fresh = false } = {}) {
          const key = `${mode} ${scope ?? '*'}`;
          const known = tokens.get(key);
          if (known !== undefined && !fresh) {
            return known;
          }
          const { data } = await call.perform('createToken', {
            body: {
              grant_type: 'client_credentials',
              client_id: created.clientId,
              client_secret: mode === 'test' ? created.testSecret : created.liveSecret,
              ...(scope !== undefined && { scope }),
            },
          });
          tokens.set(key, data.access_token);
          return data.access_token;
        },
      };
    },
    until: (condition) => until(condition),
    async close() {
      http.close();
      await service.close();
      await operator.close();
      await database?.drop();
      if (given === undefined) await rm(folder, { recursive: true });
    },
  };
}
