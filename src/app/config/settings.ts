import { resolve } from 'node:path';
import { backupSchedule } from './backup-schedule.ts';
import {
  bitRate,
  bucketUrl,
  credential,
  databaseUrl,
  type Environment,
  eitherOf,
  embeddings,
  headerList,
  headerName,
  hostName,
  LOG_LEVELS,
  languageTag,
  logLevel,
  metricsAddress,
  nameOfLicensor,
  originUrl,
  portNumber,
  proxies,
  publicUrl,
  redisUrl,
  serviceKey,
  share,
  streamMode,
  traceSampler,
  wholeNumber,
} from './setting-values.ts';

/** One setting. The reference page, `.env.example` and the help are generated from it. */
export interface Setting<T> {
  name: string;
  /** One or two sentences in Markdown. */
  meaning: string;
  /** The default in words, which applies if the name is absent or empty. */
  otherwise: string;
  example: string;
  fallback: T;
  /** Whether the value may contain a secret. It can then be read from a file, too (`fileNameOf`). */
  isSecret: boolean;
  /** Throws an OperatorError whose message continues after the name and never contains the value. */
  parse(text: string, environment?: Environment): T;
}

/** The environment variable with the path of a file that contains the value of a secret setting. */
export function fileNameOf({ name }: Pick<Setting<unknown>, 'name'>): string {
  return `${name}_FILE`;
}

/** Without a `fallback`, the default in words is parsed like a value. */
function setting<T, Fallback = T>(
  name: string,
  parse: (text: string, environment?: Environment) => T,
  {
    fallback,
    isSecret = false,
    ...made
  }: Pick<Setting<T>, 'meaning' | 'otherwise' | 'example'> & {
    fallback?: Fallback;
    isSecret?: boolean;
  },
): Setting<T | Fallback> {
  const inFile = isSecret ? ` \`${fileNameOf({ name })}\` names a file that contains it.` : '';
  return {
    name,
    parse,
    ...made,
    meaning: made.meaning + inFile,
    isSecret,
    fallback: fallback === undefined ? parse(made.otherwise) : fallback,
  };
}

/** Every setting, in the order of the reference page (docs/contract/operations.md#settings). */
export const SETTINGS = {
  host: setting('HOST', hostName, {
    meaning: 'Address to listen on. `0.0.0.0` or `::` opens Stave to the network.',
    otherwise: '127.0.0.1',
    example: '0.0.0.0',
  }),
  port: setting('PORT', portNumber, {
    meaning: 'Port to listen on. `0` lets the system choose one.',
    otherwise: '8080',
    example: '443',
  }),
  dataFolder: setting('STAVE_DATA', (text) => resolve(text), {
    meaning: 'Folder for the database, its keys and the media. Created if it does not exist.',
    otherwise: './data',
    example: '/var/lib/stave',
  }),
  publicUrl: setting('STAVE_PUBLIC_URL', publicUrl, {
    meaning:
      'Base of the stream and artwork URLs in responses: the address that partners use. ' +
      'It may have a path.',
    otherwise: 'the address it listens on',
    example: 'https://api.example.com',
    fallback: null,
  }),
  demo: setting('STAVE_DEMO', (text) => eitherOf('on', 'off')(text) === 'on', {
    meaning:
      '`on`: the first start with an empty catalog loads the demo catalog. `off`: it does not.',
    otherwise: 'on',
    example: 'off',
  }),
  tlsCert: setting('STAVE_TLS_CERT', (text) => resolve(text), {
    meaning: 'Certificate chain (PEM) for HTTPS without a proxy. Needs `STAVE_TLS_KEY`.',
    otherwise: 'plain HTTP',
    example: '/etc/stave/cert.pem',
    fallback: null,
  }),
  tlsKey: setting('STAVE_TLS_KEY', (text) => resolve(text), {
    meaning: 'Private key (PEM) of `STAVE_TLS_CERT`.',
    otherwise: 'plain HTTP',
    example: '/etc/stave/key.pem',
    fallback: null,
  }),
  trustProxy: setting('STAVE_TRUST_PROXY', proxies, {
    meaning:
      'Proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted: addresses and ranges, comma-separated, or `loopback`, ' +
      '`linklocal`, `uniquelocal`. Behind a proxy without this setting, all callers share its address.',
    otherwise: 'nobody',
    example: '10.0.0.0/8,loopback',
    fallback: false as const,
  }),
  maxConnections: setting('STAVE_MAX_CONNECTIONS', wholeNumber(1, 1_000_000), {
    meaning: 'Maximum number of open connections. Further connections are closed immediately.',
    otherwise: '10000',
    example: '50000',
  }),
  maxConnectionsOfAddress: setting('STAVE_MAX_CONNECTIONS_PER_ADDRESS', wholeNumber(1, 1_000_000), {
    meaning:
      'Maximum number of open connections from one address: an IPv4 address, or the /64 network of an ' +
      'IPv6 address. It does not apply to the proxies in `STAVE_TRUST_PROXY`.',
    otherwise: '2000',
    example: '200',
  }),
  metrics: setting('STAVE_METRICS_PORT', metricsAddress, {
    meaning: 'Port for Prometheus metrics, on loopback. `HOST:PORT` listens on another address.',
    otherwise: 'off',
    example: '9464',
    fallback: null,
  }),
  metricsHosts: setting('STAVE_METRICS_HOSTS', (text) => text.split(',').map(hostName), {
    meaning: 'Further host names by which Prometheus finds the metrics, comma-separated.',
    otherwise: 'none',
    example: 'stave.monitoring.svc',
    fallback: [],
  }),
  console: setting('STAVE_CONSOLE_PORT', portNumber, {
    meaning:
      'Port of the console for the operator (docs/operations.md#console). `0` lets the system choose one.',
    otherwise: 'off',
    example: '9465',
    fallback: null,
  }),
  consoleHost: setting('STAVE_CONSOLE_HOST', hostName, {
    meaning: 'Address that the console listens on.',
    otherwise: '127.0.0.1',
    example: '10.0.0.5',
  }),
  consoleUrl: setting('STAVE_CONSOLE_URL', originUrl, {
    meaning:
      'Address at which a proxy serves the console, without a path. Other host names are refused.',
    otherwise: 'localhost, or an IP address',
    example: 'https://console.example.com',
    fallback: null,
  }),
  consoleUserHeader: setting('STAVE_CONSOLE_USER_HEADER', headerName, {
    meaning:
      'Header in which a proxy of `STAVE_TRUST_PROXY` names the operator whom it has signed in (docs/single-sign-on.md).',
    otherwise: 'none',
    example: 'X-Forwarded-User',
    fallback: null,
  }),
  consolePasswords: setting(
    'STAVE_CONSOLE_PASSWORDS',
    (text) => eitherOf('on', 'off')(text) === 'on',
    {
      meaning: '`off`: operators sign in only by `STAVE_CONSOLE_USER_HEADER`.',
      otherwise: 'on',
      example: 'off',
    },
  ),
  logLevel: setting('STAVE_LOG_LEVEL', logLevel, {
    meaning: `Lowest level that is logged: ${LOG_LEVELS.map((level) => `\`${level}\``).join(', ')}. With \`debug\`, a command that fails prints its stack trace.`,
    otherwise: 'info',
    example: 'warn',
  }),
  database: setting('STAVE_DATABASE_URL', databaseUrl, {
    meaning:
      'A PostgreSQL database (version 15 or later) instead of SQLite. Nodes with the same database ' +
      'form one Stave. PgBouncer is detected. Its `sslmode` means what it means to `psql` ' +
      '(docs/operations.md#tls-to-postgresql).',
    otherwise: 'SQLite in the data folder',
    example: 'postgres://stave@db.example.com/stave?sslmode=verify-full',
    fallback: null,
    isSecret: true,
  }),
  databasePool: setting('STAVE_DATABASE_POOL', wholeNumber(2, 1_000), {
    meaning: 'Maximum number of connections to PostgreSQL of a process, or of each of its workers.',
    otherwise: '10',
    example: '20',
  }),
  databaseWaitMs: setting('STAVE_DATABASE_WAIT', (text) => wholeNumber(0, 86_400)(text) * 1_000, {
    meaning:
      'Seconds for which commands, imports and starts wait for a database that is unavailable, busy or ' +
      'locked. `0`: they do not wait. Requests never wait.',
    otherwise: '300',
    example: '30',
  }),
  staleLimitSeconds: setting('STAVE_STALE_LIMIT', wholeNumber(1, 86_400), {
    meaning:
      'Seconds for which a node continues to serve if it cannot reach its database or cannot apply its ' +
      'changes. Then it responds with 503, because it may have missed a revocation or a takedown.',
    otherwise: '60',
    example: '300',
  }),
  usageMaxAgeDays: setting('STAVE_USAGE_MAX_AGE_DAYS', wholeNumber(1, 90), {
    meaning: 'Greatest age of a reported use of a track, in days. Older events are rejected.',
    otherwise: '7',
    example: '30',
  }),
  historyYears: setting('STAVE_HISTORY_YEARS', wholeNumber(1, 100), {
    meaning:
      'Years for which the change log and the list of imports are kept. Takedowns and restorations of tracks, licenses and ' +
      'reported use are kept longer: Stave does not delete them by itself.',
    otherwise: '10',
    example: '30',
  }),
  catalogLanguage: setting('STAVE_CATALOG_LANGUAGE', languageTag, {
    meaning:
      'Language of the names, tags and descriptions that name none: a language tag. All nodes need the same value.',
    otherwise: 'en',
    example: 'de',
  }),
  webhookTargets: setting('STAVE_WEBHOOK_TARGETS', eitherOf('public', 'any'), {
    meaning:
      'Where webhooks may go. `public`: by HTTPS to addresses of the public Internet. `any`: also by HTTP and ' +
      'to every address, for development. Clients could then reach the network of the service.',
    otherwise: 'public',
    example: 'any',
  }),
  licensor: setting('STAVE_LICENSOR', nameOfLicensor, {
    meaning:
      'Name of the issuer in the certificates of licenses, where there is no `STAVE_PUBLIC_URL`.',
    otherwise: '`Stave`',
    example: 'Lighthouse Music',
    fallback: 'Stave',
  }),
  previewThreads: setting('STAVE_PREVIEW_THREADS', wholeNumber(0, 64), {
    meaning:
      'Number of threads that analyze audio, and that make waveforms and preview clips while a client has the feature ' +
      '`previews`. `0`: this node does neither. With `--workers`, one worker has these threads.',
    otherwise: '1',
    example: '2',
  }),
  streams: setting('STAVE_STREAM', streamMode, {
    meaning:
      'What stream URLs send. `playable`: the delivered file if all browsers play it, or else an MP3 that Stave makes of it. ' +
      '`mp3`: always the MP3, unless an MP3 of at most its bit rate was delivered. `original`: the delivered file. All nodes ' +
      'need the same value.',
    otherwise: 'playable',
    example: 'mp3',
  }),
  streamKbps: setting('STAVE_STREAM_KBPS', bitRate, {
    meaning:
      'Bit rate of the MP3 files that Stave makes for streaming, in kbit/s: ' +
      '64, 80, 96, 112, 128, 160, 192, 224, 256 or 320. All nodes need the same value.',
    otherwise: '192',
    example: '128',
  }),
  streamAhead: setting('STAVE_STREAM_AHEAD', wholeNumber(0, 10_000_000), {
    meaning:
      'For how many tracks Stave makes these MP3 files before somebody plays them: the most licensed ones, and then the newest. ' +
      'Further ones are made when they are played.',
    otherwise: '10000',
    example: '0',
  }),
  streamCacheGb: setting('STAVE_STREAM_CACHE_GB', wholeNumber(1, 100_000), {
    meaning:
      'Greatest size of these MP3 files in all, in GB. Then the ones that were not played for the longest time are removed.',
    otherwise: '50',
    example: '200',
  }),
  analysis: setting('STAVE_ANALYSIS', (text) => eitherOf('on', 'off')(text) === 'on', {
    meaning:
      '`off`: this node does not analyze audio. Tracks get no tempo and key that were not delivered, and there are no ' +
      'similar tracks by sound.',
    otherwise: 'on',
    example: 'off',
  }),
  ffmpeg: setting('STAVE_FFMPEG', (text) => (text === 'off' ? 'off' : resolve(text)), {
    meaning:
      'Path of `ffmpeg`, which decodes AAC, M4A, MP4, WebM and some other files for waveforms and preview clips. ' +
      '`off`: this node does not use it.',
    otherwise: '`ffmpeg` of the `PATH`, if there is one',
    example: '/usr/bin/ffmpeg',
    fallback: null,
  }),
  embeddings: setting('STAVE_EMBEDDINGS', embeddings, {
    meaning:
      'What compares phrases of briefs by their meaning (docs/operations.md#briefs). `local`: a model in this process, from ' +
      'optional packages. `off`: nothing. An address: a service with the embeddings API of OpenAI.',
    otherwise: '`local` if its packages are installed, or else `off`',
    example: 'http://127.0.0.1:11434/v1',
    fallback: null,
  }),
  embeddingsModel: setting('STAVE_EMBEDDINGS_MODEL', nameOfLicensor, {
    meaning: 'Model of that service.',
    otherwise: 'text-embedding-3-small',
    example: 'nomic-embed-text',
  }),
  embeddingsKey: setting('STAVE_EMBEDDINGS_KEY', serviceKey, {
    meaning: 'Key of that service.',
    otherwise: 'none',
    example: 'sk-a1b2c3',
    fallback: null,
    isSecret: true,
  }),
  redisUrl: setting('STAVE_REDIS_URL', redisUrl, {
    meaning:
      'Redis 7, for rate limits over several nodes. While it is unavailable, each node counts on its own.',
    otherwise: 'each node counts on its own',
    example: 'redis://redis.example.com:6379',
    fallback: null,
    isSecret: true,
  }),
  media: setting('STAVE_MEDIA_URL', bucketUrl, {
    meaning:
      'A bucket of an S3-compatible store for audio and artwork, instead of the data folder. ' +
      'Region, endpoint and credentials are read from the usual `AWS_` variables.',
    otherwise: 'the data folder',
    example: 's3://bucket/prefix',
    fallback: null,
  }),
  mediaDelivery: setting('STAVE_MEDIA_DELIVERY', eitherOf('redirect', 'proxy'), {
    meaning:
      'How audio in a bucket is delivered. `redirect`: a signed URL of Stave redirects to a signed URL of ' +
      'the bucket that expires at the same time. `proxy`: the bytes pass through Stave.',
    otherwise: 'redirect',
    example: 'proxy',
  }),
  otlpEndpoint: setting('OTEL_EXPORTER_OTLP_ENDPOINT', publicUrl, {
    meaning:
      'Address of a collector of OpenTelemetry, which gets the traces of requests as OTLP over HTTP in JSON, at `/v1/traces` ' +
      'below it (docs/operations.md#traces).',
    otherwise: 'no traces',
    example: 'http://collector.example.com:4318',
    fallback: null,
  }),
  otlpHeaders: setting('OTEL_EXPORTER_OTLP_HEADERS', headerList, {
    meaning:
      'Headers for the collector: `NAME=VALUE`, comma-separated, with the values percent-encoded.',
    otherwise: 'none',
    example: 'Authorization=Bearer%20a1b2c3',
    fallback: {} as Record<string, string>,
    isSecret: true,
  }),
  serviceName: setting('OTEL_SERVICE_NAME', nameOfLicensor, {
    meaning: 'Name of the service in traces.',
    otherwise: '`stave`',
    example: 'stave-eu',
    fallback: null,
  }),
  traceSampler: setting('OTEL_TRACES_SAMPLER', traceSampler, {
    meaning:
      'Which requests are traced: `always_on`, `always_off`, `traceidratio`, or one of these with the prefix `parentbased_`, ' +
      'which is for requests whose caller does not decide it by `traceparent`.',
    otherwise: 'parentbased_always_on',
    example: 'traceidratio',
  }),
  traceRatio: setting('OTEL_TRACES_SAMPLER_ARG', share, {
    meaning: 'Share of the requests that the sampler `traceidratio` traces, from 0 to 1.',
    otherwise: '1',
    example: '0.1',
  }),
  backupSchedule: setting('STAVE_BACKUP_SCHEDULE', backupSchedule, {
    meaning:
      'When and where the service makes a backup each day: a time (UTC), a folder or `s3://bucket/prefix`, and optionally ' +
      'which backups are kept, `daily=7,weekly=5,monthly=12` by default. For installations without a timer.',
    otherwise: 'off',
    example: '03:30 /var/backups/stave',
    fallback: null,
  }),
  url: setting('STAVE_URL', publicUrl, {
    meaning: 'For `stave mcp`: the address of the Stave that it calls.',
    otherwise: 'http://127.0.0.1:8080',
    example: 'https://api.example.com',
  }),
  clientId: setting('STAVE_CLIENT_ID', credential, {
    meaning: 'For `stave mcp` on standard input and output: the client as which it acts.',
    otherwise: 'none',
    example: '3f0c5a52-5a0e-4a3c-9d6b-1c1f7c2c9f10',
    fallback: null,
  }),
  clientSecret: setting('STAVE_CLIENT_SECRET', credential, {
    meaning:
      'For `stave mcp` on standard input and output: the secret of that client, for test or live mode.',
    otherwise: 'none',
    example: 'stave_test_PUYFYASlvXIFc2aITx7qAYKMNSoQl20QQ2PZ',
    fallback: null,
    isSecret: true,
  }),
};

/** Names with this prefix belong to the tests and are ignored. */
export const TEST_PREFIX = 'STAVE_TEST_';
