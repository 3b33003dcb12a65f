import { OperatorError } from '../../common/errors.ts';
import { nearest } from '../../common/text/explain.ts';
import type { LogLevel } from './setting-values.ts';
import { SETTINGS, type Setting, TEST_PREFIX } from './settings.ts';

/** The configuration (docs/contract/operations.md#settings), read once from the environment. */
export interface Config {
  /** The address to listen on; `127.0.0.1` by default. */
  host: string;
  /** The port to listen on; 8080 by default. With 0, the system chooses one. */
  port: number;
  /** Absolute path of the data folder; `./data` by default. */
  dataFolder: string;
  /** Base of the URLs in responses, without a trailing slash; null: the listening address. */
  publicUrl: string | null;
  demo: boolean;
  tls: { certFile: string; keyFile: string } | null;
  /** The proxies whose `X-Forwarded-For` counts: false, or a list of addresses and ranges. */
  trustProxy: false | string[];
  /**
   * The maximum number of open connections, in total and per address. Trusted proxies count only in total.
   */
  maxConnections: { inAll: number; ofAddress: number };
  /** Address and port of the metrics; null: no metrics. */
  metrics: { host: string; port: number } | null;
  /** Further host names that the metrics answer to. */
  metricsHosts: string[];
  /** Where the console for the operator is; null: there is none. `url` is its origin behind a proxy, if it has one. */
  console: { host: string; port: number; url: string | null } | null;
  logLevel: LogLevel;
  /** PostgreSQL; null: SQLite in the data folder. The URLs may contain passwords. */
  database: { url: string; pool: number } | null;
  /** Milliseconds that commands, imports and starts wait for the database. Requests never wait for it. */
  databaseWaitMs: number;
  /** Seconds that a node continues to serve without its database. */
  staleLimitSeconds: number;
  /** The greatest age of a reported use of a track. */
  usageMaxAgeDays: number;
  /** The issuer in certificates of licenses of a service without a public URL. */
  licensor: string;
  /** The language of texts that name none: a canonical language tag. */
  catalogLanguage: string;
  /** Where webhooks may go: only to public addresses by HTTPS, or anywhere. */
  webhookTargets: 'public' | 'any';
  /** The number of threads that make waveforms and preview clips; 0: this node makes none. */
  previewThreads: number;
  /** A path, `off`, or null for the `ffmpeg` of the search path, which has the form of PATH. */
  ffmpeg: { setting: string | null; searchPath: string };
  /** URL of the Redis that counts requests for all nodes; null: each node counts alone. May contain a password. */
  redisUrl: string | null;
  /** The bucket of audio and artwork, with a prefix without slashes around it; null: the data folder. */
  media: { bucket: string; prefix: string; delivery: 'redirect' | 'proxy' } | null;
  /** The service that `stave mcp` calls, and the credentials that it has on standard input and output. */
  mcp: { url: string; clientId: string | null; clientSecret: string | null };
}

/** Environment variables, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

type Values = { [Key in keyof typeof SETTINGS]: (typeof SETTINGS)[Key]['fallback'] };

/**
 * Reads the configuration from the environment. An empty value counts as absent. Throws one OperatorError of
 * one line that lists every unknown `STAVE_` name and every invalid setting. It contains no value, because a
 * value may be a secret.
 */
export function readConfig(env: Environment = process.env): Config {
  const problems = unknownNames(env);
  const values = Object.fromEntries(
    Object.entries(SETTINGS).map(([key, setting]) => [key, readSetting(setting, env, problems)]),
  ) as Values;
  if ((values.tlsCert === null) !== (values.tlsKey === null)) {
    const missing = values.tlsKey === null ? SETTINGS.tlsKey : SETTINGS.tlsCert;
    problems.push(`${missing.name} is missing: certificate and key are needed together`);
  }
  if (problems.length > 0) {
    throw new OperatorError(problems.join('; '));
  }
  const { tlsCert, tlsKey, database, media } = values;
  return {
    host: values.host,
    port: values.port,
    dataFolder: values.dataFolder,
    publicUrl: values.publicUrl,
    demo: values.demo,
    tls: tlsCert === null || tlsKey === null ? null : { certFile: tlsCert, keyFile: tlsKey },
    trustProxy: values.trustProxy,
    maxConnections: { inAll: values.maxConnections, ofAddress: values.maxConnectionsOfAddress },
    metrics: values.metrics,
    metricsHosts: values.metricsHosts,
    console:
      values.console === null
        ? null
        : { host: values.consoleHost, port: values.console, url: values.consoleUrl },
    logLevel: values.logLevel,
    database: database === null ? null : { url: database, pool: values.databasePool },
    databaseWaitMs: values.databaseWait * 1_000,
    staleLimitSeconds: values.staleLimit,
    usageMaxAgeDays: values.usageMaxAge,
    licensor: values.licensor,
    catalogLanguage: values.catalogLanguage,
    webhookTargets: values.webhookTargets,
    previewThreads: values.previewThreads,
    ffmpeg: { setting: values.ffmpeg, searchPath: env.PATH ?? '' },
    redisUrl: values.redis,
    media: media === null ? null : { ...media, delivery: values.mediaDelivery },
    mcp: { url: values.url, clientId: values.clientId, clientSecret: values.clientSecret },
  };
}

/** Whether errors are printed with their stack. Works with an otherwise invalid environment. */
export function wantsStacks(env: Environment = process.env): boolean {
  return ['debug', 'trace'].includes(env[SETTINGS.logLevel.name] ?? '');
}

function readSetting(setting: Setting<unknown>, env: Environment, problems: string[]): unknown {
  const text = env[setting.name];
  if (text === undefined || text === '') {
    return setting.fallback;
  }
  try {
    return setting.parse(text);
  } catch (error) {
    if (!(error instanceof OperatorError)) {
      throw error;
    }
    problems.push(`${setting.name} ${error.message}`);
    return setting.fallback;
  }
}

function unknownNames(env: Environment): string[] {
  const known = Object.values(SETTINGS).map((setting) => setting.name);
  return Object.keys(env)
    .filter((name) => name.startsWith('STAVE_') && !name.startsWith(TEST_PREFIX))
    .filter((name) => !known.includes(name))
    .sort()
    .map((name) => {
      const near = nearestSetting(name, known);
      const advice =
        near === undefined ? `the settings are ${known.join(', ')}` : `did you mean ${near}?`;
      return `${name} is not a setting: ${advice}`;
    });
}

/** Returns the known setting that is most similar to a name, compared without the common prefix. */
function nearestSetting(name: string, known: readonly string[]): string | undefined {
  const bare = (one: string) => one.replace(/^STAVE_/, '');
  const word = bare(name);
  const near = nearest(word, known.map(bare)) ?? sameBeginning(word, known.map(bare));
  return known.find((one) => bare(one) === near);
}

/** Returns the name that has the longest beginning in common with the word, of at least three letters. */
function sameBeginning(word: string, known: readonly string[]): string | undefined {
  const shared = (one: string) => [...one].findIndex((letter, i) => letter !== word[i]);
  const lengths = known.map((one) => ({
    one,
    length: shared(one) === -1 ? one.length : shared(one),
  }));
  const best = lengths.reduce((a, b) => (b.length > a.length ? b : a));
  return best.length >= 3 ? best.one : undefined;
}
