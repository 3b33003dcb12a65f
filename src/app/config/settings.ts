import { resolve } from 'node:path';
import {
  bucketUrl,
  credential,
  databaseUrl,
  eitherOf,
  hostName,
  LOG_LEVELS,
  type LogLevel,
  languageTag,
  logLevel,
  metricsAddress,
  nameOfLicensor,
  originUrl,
  portNumber,
  proxies,
  publicUrl,
  redisUrl,
  wholeNumber,
} from './setting-values.ts';

/** One setting. The reference page, `.env.example` and the help are generated from it. */
export interface Setting<T> {
  name: string;
  /** What the setting does: one or two sentences in Markdown. */
  meaning: string;
  /** The default in words, which applies if the name is absent or empty. */
  otherwise: string;
  example: string;
  fallback: T;
  /** Throws an OperatorError whose message continues after the name and never contains the value. */
  parse(text: string): T;
}

/** Makes a setting. Without a `fallback`, the default in words is parsed like a value. */
function setting<T>(made: Omit<Setting<T>, 'fallback'> & { fallback?: T }): Setting<T> {
  return { ...made, fallback: 'fallback' in made ? made.fallback! : made.parse(made.otherwise) };
}

/** Every setting, in the order of the reference page (docs/contract/operations.md#settings). */
export const SETTINGS = {
  host: setting<string>({
    name: 'HOST',
    meaning: 'Address to listen on. `0.0.0.0` or `::` opens Stave to the network.',
    otherwise: '127.0.0.1',
    example: '0.0.0.0',
    parse: hostName,
  }),
  port: setting<number>({
    name: 'PORT',
    meaning: 'Port to listen on. `0` lets the system choose one.',
    otherwise: '8080',
    example: '443',
    parse: portNumber,
  }),
  dataFolder: setting<string>({
    name: 'STAVE_DATA',
    meaning: 'Folder for the database, its keys and the media. Created if it does not exist.',
    otherwise: './data',
    example: '/var/lib/stave',
    parse: (text) => resolve(text),
  }),
  publicUrl: setting<string | null>({
    name: 'STAVE_PUBLIC_URL',
    meaning:
      'Base of the stream and artwork URLs in responses: the address that partners use. ' +
      'It may have a path.',
    otherwise: 'the address it listens on',
    example: 'https://api.example.com',
    fallback: null,
    parse: publicUrl,
  }),
  demo: setting<boolean>({
    name: 'STAVE_DEMO',
    meaning:
      '`on`: the first start with an empty catalog loads the demo catalog. `off`: it does not.',
    otherwise: 'on',
    example: 'off',
    parse: (text) => eitherOf('on', 'off')(text) === 'on',
  }),
  tlsCert: setting<string | null>({
    name: 'STAVE_TLS_CERT',
    meaning: 'Certificate chain (PEM) for HTTPS without a proxy. Needs `STAVE_TLS_KEY`.',
    otherwise: 'plain HTTP',
    example: '/etc/stave/cert.pem',
    fallback: null,
    parse: (text) => resolve(text),
  }),
  tlsKey: setting<string | null>({
    name: 'STAVE_TLS_KEY',
    meaning: 'Private key (PEM) of `STAVE_TLS_CERT`.',
    otherwise: 'plain HTTP',
    example: '/etc/stave/key.pem',
    fallback: null,
    parse: (text) => resolve(text),
  }),
  trustProxy: setting<false | string[]>({
    name: 'STAVE_TRUST_PROXY',
    meaning:
      'Proxies whose `X-Forwarded-For` is trusted: addresses and ranges, comma-separated, or `loopback`, ' +
      '`linklocal`, `uniquelocal`. Behind a proxy without this setting, all callers share its address.',
    otherwise: 'nobody',
    example: '10.0.0.0/8,loopback',
    fallback: false,
    parse: proxies,
  }),
  maxConnections: setting<number>({
    name: 'STAVE_MAX_CONNECTIONS',
    meaning: 'Maximum number of open connections. Further connections are closed immediately.',
    otherwise: '10000',
    example: '50000',
    parse: (text) => wholeNumber(text, 1, 1_000_000),
  }),
  maxConnectionsOfAddress: setting<number>({
    name: 'STAVE_MAX_CONNECTIONS_PER_ADDRESS',
    meaning:
      'Maximum number of open connections from one address: an IPv4 address, or the /64 network of an ' +
      'IPv6 address. It does not apply to the proxies in `STAVE_TRUST_PROXY`.',
    otherwise: '2000',
    example: '200',
    parse: (text) => wholeNumber(text, 1, 1_000_000),
  }),
  metrics: setting<{ host: string; port: number } | null>({
    name: 'STAVE_METRICS_PORT',
    meaning: 'Port for Prometheus metrics, on loopback. `HOST:PORT` listens on another address.',
    otherwise: 'off',
    example: '9464',
    fallback: null,
    parse: metricsAddress,
  }),
  metricsHosts: setting<string[]>({
    name: 'STAVE_METRICS_HOSTS',
    meaning: 'Further host names by which Prometheus finds the metrics, comma-separated.',
    otherwise: 'none',
    example: 'stave.monitoring.svc',
    fallback: [],
    parse: (text) => text.split(',').map(hostName),
  }),
  console: setting<number | null>({
    name: 'STAVE_CONSOLE_PORT',
    meaning:
      'Port of the console for the operator (docs/operations.md#console). `0` lets the system choose one.',
    otherwise: 'off',
    example: '9465',
    fallback: null,
    parse: portNumber,
  }),
  consoleHost: setting<string>({
    name: 'STAVE_CONSOLE_HOST',
    meaning: 'Address that the console listens on.',
    otherwise: '127.0.0.1',
    example: '10.0.0.5',
    parse: hostName,
  }),
  consoleUrl: setting<string | null>({
    name: 'STAVE_CONSOLE_URL',
    meaning:
      'Address at which a proxy serves the console, without a path. Other host names are refused.',
    otherwise: 'localhost, or an IP address',
    example: 'https://console.example.com',
    fallback: null,
    parse: originUrl,
  }),
  logLevel: setting<LogLevel>({
    name: 'STAVE_LOG_LEVEL',
    meaning: `Lowest level that is logged: ${LOG_LEVELS.map((level) => `\`${level}\``).join(', ')}. With \`debug\`, a command that fails prints its stack trace.`,
    otherwise: 'info',
    example: 'warn',
    parse: logLevel,
  }),
  database: setting<string | null>({
    name: 'STAVE_DATABASE_URL',
    meaning:
      'A PostgreSQL database (version 15 or later) instead of SQLite. Nodes with the same database ' +
      'form one Stave. PgBouncer is detected.',
    otherwise: 'SQLite in the data folder',
    example: 'postgres://stave@db.example.com/stave',
    fallback: null,
    parse: databaseUrl,
  }),
  databasePool: setting<number>({
    name: 'STAVE_DATABASE_POOL',
    meaning: 'Maximum number of connections to PostgreSQL of a process, or of each of its workers.',
    otherwise: '10',
    example: '20',
    parse: (text) => wholeNumber(text, 2, 1_000),
  }),
  databaseWaitMs: setting<number>({
    name: 'STAVE_DATABASE_WAIT',
    meaning:
      'Seconds for which commands, imports and starts wait for a database that is unavailable, busy or ' +
      'locked. `0`: they do not wait. Requests never wait.',
    otherwise: '300',
    example: '30',
    parse: (text) => wholeNumber(text, 0, 86_400) * 1_000,
  }),
  staleLimitSeconds: setting<number>({
    name: 'STAVE_STALE_LIMIT',
    meaning:
      'Seconds for which a node continues to serve if it cannot reach its database or cannot apply its ' +
      'changes. Then it responds with 503, because it may have missed a revocation or a takedown.',
    otherwise: '60',
    example: '300',
    parse: (text) => wholeNumber(text, 1, 86_400),
  }),
  usageMaxAgeDays: setting<number>({
    name: 'STAVE_USAGE_MAX_AGE_DAYS',
    meaning: 'Greatest age of a reported use of a track, in days. Older events are rejected.',
    otherwise: '7',
    example: '30',
    parse: (text) => wholeNumber(text, 1, 90),
  }),
  catalogLanguage: setting<string>({
    name: 'STAVE_CATALOG_LANGUAGE',
    meaning:
      'Language of the names, tags and descriptions that name none: a language tag. All nodes need the same value.',
    otherwise: 'en',
    example: 'de',
    parse: languageTag,
  }),
  webhookTargets: setting<'public' | 'any'>({
    name: 'STAVE_WEBHOOK_TARGETS',
    meaning:
      'Where webhooks may go. `public`: by HTTPS to addresses of the public Internet. `any`: also by HTTP and ' +
      'to every address, for development. Clients could then reach the network of the service.',
    otherwise: 'public',
    example: 'any',
    parse: eitherOf('public', 'any'),
  }),
  licensor: setting<string>({
    name: 'STAVE_LICENSOR',
    meaning:
      'Name of the issuer in the certificates of licenses, where there is no `STAVE_PUBLIC_URL`.',
    otherwise: '`Stave`',
    example: 'Lighthouse Music',
    fallback: 'Stave',
    parse: nameOfLicensor,
  }),
  previewThreads: setting<number>({
    name: 'STAVE_PREVIEW_THREADS',
    meaning:
      'Number of threads that make waveforms and preview clips, while a client has the feature `previews`. `0`: this ' +
      'node makes none. With `--workers`, one worker has these threads.',
    otherwise: '1',
    example: '2',
    parse: (text) => wholeNumber(text, 0, 64),
  }),
  ffmpeg: setting<string | null>({
    name: 'STAVE_FFMPEG',
    meaning:
      'Path of `ffmpeg`, which decodes AAC, M4A, MP4, WebM and some other files for waveforms and preview clips. ' +
      '`off`: this node does not use it.',
    otherwise: '`ffmpeg` of the `PATH`, if there is one',
    example: '/usr/bin/ffmpeg',
    fallback: null,
    parse: (text) => (text === 'off' ? 'off' : resolve(text)),
  }),
  redisUrl: setting<string | null>({
    name: 'STAVE_REDIS_URL',
    meaning:
      'Redis 7, for rate limits over several nodes. While it is unavailable, each node counts on its own.',
    otherwise: 'each node counts on its own',
    example: 'redis://redis.example.com:6379',
    fallback: null,
    parse: redisUrl,
  }),
  media: setting<{ bucket: string; prefix: string } | null>({
    name: 'STAVE_MEDIA_URL',
    meaning:
      'A bucket of an S3-compatible store for audio and artwork, instead of the data folder. ' +
      'Region, endpoint and credentials are read from the usual `AWS_` variables.',
    otherwise: 'the data folder',
    example: 's3://bucket/prefix',
    fallback: null,
    parse: bucketUrl,
  }),
  mediaDelivery: setting<'redirect' | 'proxy'>({
    name: 'STAVE_MEDIA_DELIVERY',
    meaning:
      'How audio in a bucket is delivered. `redirect`: a signed URL of Stave redirects to a signed URL of ' +
      'the bucket that expires at the same time. `proxy`: the bytes pass through Stave.',
    otherwise: 'redirect',
    example: 'proxy',
    parse: eitherOf('redirect', 'proxy'),
  }),
  url: setting<string>({
    name: 'STAVE_URL',
    meaning: 'For `stave mcp`: the address of the Stave that it calls.',
    otherwise: 'http://127.0.0.1:8080',
    example: 'https://api.example.com',
    parse: publicUrl,
  }),
  clientId: setting<string | null>({
    name: 'STAVE_CLIENT_ID',
    meaning: 'For `stave mcp` on standard input and output: the client as which it acts.',
    otherwise: 'none',
    example: '3f0c5a52-5a0e-4a3c-9d6b-1c1f7c2c9f10',
    fallback: null,
    parse: credential,
  }),
  clientSecret: setting<string | null>({
    name: 'STAVE_CLIENT_SECRET',
    meaning:
      'For `stave mcp` on standard input and output: the secret of that client, for test or live mode.',
    otherwise: 'none',
    example: 'stave_test_PUYFYASlvXIFc2aITx7qAYKMNSoQl20QQ2PZ',
    fallback: null,
    parse: credential,
  }),
};

/** Names with this prefix belong to the tests and are ignored. */
export const TEST_PREFIX = 'STAVE_TEST_';
