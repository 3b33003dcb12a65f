import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { OperatorError } from './kernel/operator-error.ts';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
/** A level of the log; `silent` logs nothing. */
export type LogLevel = (typeof LOG_LEVELS)[number];

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
  database: notYet({
    name: 'STAVE_DATABASE_URL',
    meaning: 'PostgreSQL instead of SQLite in the data folder.',
    otherwise: 'SQLite in the data folder',
    example: 'postgres://stave@db.example.com/stave',
  }),
  redis: notYet({
    name: 'STAVE_REDIS_URL',
    meaning: 'Redis for rate limits that several nodes share.',
    otherwise: 'each node counts for itself',
    example: 'redis://redis.example.com:6379',
  }),
  mediaUrl: notYet({
    name: 'STAVE_MEDIA_URL',
    meaning: 'A bucket for audio and artwork instead of the data folder.',
    otherwise: 'the data folder',
    example: 's3://bucket/prefix',
  }),
};

/** Names with this prefix belong to the tests and are passed over. */
export const TEST_PREFIX = 'STAVE_TEST_';

function setting<T>(definition: Setting<T>): Setting<T> {
  return definition;
}

/** A name that is reserved, and refused until the version that serves it. */
function notYet(
  definition: Pick<Setting<null>, 'name' | 'meaning' | 'otherwise' | 'example'>,
): Setting<null> {
  return {
    ...definition,
    meaning: `${definition.meaning} Not served by this version: setting it stops the start.`,
    fallback: null,
    parse() {
      throw new OperatorError(
        `is not served by this version of Stave (${definition.otherwise}): unset it`,
      );
    },
  };
}

function hostName(text: string): string {
  const name = /^(?=.{1,253}$)[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i;
  // Digits and dots alone are an address, or nothing.
  if (isIP(text) !== 0 || (name.test(text) && /[a-z]/i.test(text))) {
    return text;
  }
  throw new OperatorError('must be an IP address (without brackets) or a host name');
}

function portNumber(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) {
    return port;
  }
  throw new OperatorError('must be a whole number from 0 to 65535');
}

function publicUrl(text: string): string {
  const url = URL.parse(text);
  if (
    url === null ||
    !['http:', 'https:'].includes(url.protocol) ||
    url.username + url.password + url.search + url.hash !== ''
  ) {
    throw new OperatorError(
      'must be an http:// or https:// address without user, query or fragment',
    );
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
}

function onOrOff(text: string): boolean {
  if (text !== 'on' && text !== 'off') {
    throw new OperatorError('must be on or off');
  }
  return text === 'on';
}

function proxies(text: string): string[] {
  const entries = text.split(',').map((entry) => entry.trim());
  if (!entries.every(isProxy)) {
    throw new OperatorError(
      'must list addresses (10.0.0.7), ranges (10.0.0.0/8), loopback, linklocal or uniquelocal, comma-separated',
    );
  }
  return entries;
}

function isProxy(entry: string): boolean {
  const [address = '', prefix, ...rest] = entry.split('/');
  if (['loopback', 'linklocal', 'uniquelocal'].includes(entry)) {
    return true;
  }
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  // A prefix of 0 would trust everybody, and so let anybody forge an address.
  return (
    bits > 0 &&
    rest.length === 0 &&
    (prefix === undefined ||
      (/^\d{1,3}$/.test(prefix) && Number(prefix) >= 1 && Number(prefix) <= bits))
  );
}

function metricsAddress(text: string): { host: string; port: number } {
  try {
    const [, host, port] = /^(?:\[?([^\]]+)\]?:)?(\d+)$/.exec(text) ?? [];
    return {
      host: host === undefined ? '127.0.0.1' : hostName(host),
      port: portNumber(port ?? ''),
    };
  } catch {
    throw new OperatorError('must be a port, or HOST:PORT');
  }
}

function logLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((known) => known === text);
  if (level === undefined) {
    throw new OperatorError(`must be one of ${LOG_LEVELS.join(', ')}`);
  }
  return level;
}
