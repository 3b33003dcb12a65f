import { resolve } from 'node:path';
import {
  bucketUrl,
  databaseUrl,
  hostName,
  LOG_LEVELS,
  type LogLevel,
  logLevel,
  mediaDelivery,
  metricsAddress,
  onOrOff,
  portNumber,
  proxies,
  publicUrl,
  redisUrl,
  wholeNumber,
} from './setting-values.ts';

/** One name in the environment; the reference page, `.env.example` and the help are made from it. */
export interface Setting<T> {
  name: string;
  /** One or two sentences in Markdown. */
  meaning: string;
  /** What holds where the name is absent or empty, in words or as a value. */
  otherwise: string;
  example: string;
  fallback: T;
  /** Throws an OperatorError whose message goes on after the name and never holds the value. */
  parse(text: string): T;
}

/** Every setting, in the order of the reference page (decisions §8). */
export const SETTINGS = {
  host: setting<string>({
    name: 'HOST',
    meaning: 'Address to listen on. `0.0.0.0` or `::` opens Stave to the network.',
    otherwise: '127.0.0.1',
    example: '0.0.0.0',
    fallback: '127.0.0.1',
    parse: hostName,
  }),
  port: setting<number>({
    name: 'PORT',
    meaning: 'Port to listen on. `0` lets the system choose one.',
    otherwise: '8080',
    example: '443',
    fallback: 8080,
    parse: portNumber,
  }),
  dataFolder: setting<string>({
    name: 'STAVE_DATA',
    meaning: 'Folder for the database, its keys and the media; made when it is missing.',
    otherwise: './data',
    example: '/var/lib/stave',
    fallback: resolve('data'),
    parse: (text) => resolve(text),
  }),
  publicUrl: setting<string | null>({
    name: 'STAVE_PUBLIC_URL',
    meaning:
      'Base of the stream and artwork URLs that Stave hands out: the address that partners use. ' +
      'May carry a path.',
    otherwise: 'the address it listens on',
    example: 'https://api.example.com',
    fallback: null,
    parse: publicUrl,
  }),
  demo: setting<boolean>({
    name: 'STAVE_DEMO',
    meaning: '`off`: an empty catalog stays empty. `on`: a first start loads the demo catalog.',
    otherwise: 'on',
    example: 'off',
    fallback: true,
    parse: onOrOff,
  }),
  tlsCert: setting<string | null>({
    name: 'STAVE_TLS_CERT',
    meaning: 'Certificate chain (PEM) to serve HTTPS without a proxy. Needs `STAVE_TLS_KEY`.',
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
      'Whose `X-Forwarded-For` counts: addresses and ranges, comma-separated, or `loopback`, ' +
      '`linklocal`, `uniquelocal`. Set it behind a proxy, or all callers share its address.',
    otherwise: 'nobody',
    example: '10.0.0.0/8,loopback',
    fallback: false,
    parse: proxies,
  }),
  metrics: setting<{ host: string; port: number } | null>({
    name: 'STAVE_METRICS_PORT',
    meaning: 'Port for Prometheus, on loopback; `HOST:PORT` to listen elsewhere.',
    otherwise: 'off',
    example: '9464',
    fallback: null,
    parse: metricsAddress,
  }),
  logLevel: setting<LogLevel>({
    name: 'STAVE_LOG_LEVEL',
    meaning: `Least level that is logged: ${LOG_LEVELS.map((level) => `\`${level}\``).join(', ')}. At \`debug\`, failing commands print their stack.`,
    otherwise: 'info',
    example: 'warn',
    fallback: 'info',
    parse: logLevel,
  }),
  database: setting<string | null>({
    name: 'STAVE_DATABASE_URL',
    meaning:
      'PostgreSQL 15 or later instead of SQLite in the data folder. Nodes that name the same ' +
      'database are one Stave. A PgBouncer in front is recognised.',
    otherwise: 'SQLite in the data folder',
    example: 'postgres://stave@db.example.com/stave',
    fallback: null,
    parse: databaseUrl,
  }),
  databaseReplica: setting<string | null>({
    name: 'STAVE_DATABASE_REPLICA_URL',
    meaning:
      'A read replica of that database, for building the index and reading documents. What it has ' +
      'not replayed yet is read from the primary.',
    otherwise: 'the primary does it',
    example: 'postgres://stave@replica.example.com/stave',
    fallback: null,
    parse: databaseUrl,
  }),
  databasePool: setting<number>({
    name: 'STAVE_DATABASE_POOL',
    meaning: 'How many connections to PostgreSQL a process, or each worker of it, opens at most.',
    otherwise: '10',
    example: '20',
    fallback: 10,
    parse: (text) => wholeNumber(text, 2, 1_000),
  }),
  staleLimit: setting<number>({
    name: 'STAVE_STALE_LIMIT',
    meaning:
      'For how many seconds a node that cannot reach its database goes on serving what it knows. ' +
      'Then it answers 503, for it may have missed a revocation or a takedown.',
    otherwise: '60',
    example: '300',
    fallback: 60,
    parse: (text) => wholeNumber(text, 1, 86_400),
  }),
  redis: setting<string | null>({
    name: 'STAVE_REDIS_URL',
    meaning:
      'Redis 7 for rate limits that several nodes share. While it is away, each counts alone.',
    otherwise: 'each node counts for itself',
    example: 'redis://redis.example.com:6379',
    fallback: null,
    parse: redisUrl,
  }),
  media: setting<{ bucket: string; prefix: string } | null>({
    name: 'STAVE_MEDIA_URL',
    meaning:
      'A bucket of an S3-compatible store for audio and artwork instead of the data folder. ' +
      'Region, endpoint and credentials come by the usual `AWS_` variables.',
    otherwise: 'the data folder',
    example: 's3://bucket/prefix',
    fallback: null,
    parse: bucketUrl,
  }),
  mediaDelivery: setting<'redirect' | 'proxy'>({
    name: 'STAVE_MEDIA_DELIVERY',
    meaning:
      'How audio in a bucket reaches who holds a signed URL: `redirect` sends them to the bucket ' +
      'with a URL that lives no longer, `proxy` passes the bytes through Stave.',
    otherwise: 'redirect',
    example: 'proxy',
    fallback: 'redirect',
    parse: mediaDelivery,
  }),
};

/** Names with this prefix belong to the tests and are passed over. */
export const TEST_PREFIX = 'STAVE_TEST_';

function setting<T>(definition: Setting<T>): Setting<T> {
  return definition;
}
