import { nearest } from './kernel/nearest.ts';
import { OperatorError } from './kernel/operator-error.ts';
import type { LogLevel } from './setting-values.ts';
import { SETTINGS, type Setting, TEST_PREFIX } from './settings.ts';

/** What the environment configures (decisions §8); read once, typed from there on. */
export interface Config {
  /** Address to listen on; `127.0.0.1` by default. */
  host: string;
  /** 0 lets the system choose; 8080 by default. */
  port: number;
  /** Absolute path of the data folder; `./data` by default. */
  dataFolder: string;
  /** Base of the URLs handed out, without a trailing slash; null: the listening address. */
  publicUrl: string | null;
  demo: boolean;
  tls: { certFile: string; keyFile: string } | null;
  /** As Fastify's `trustProxy`: false, or a list of addresses and ranges. */
  trustProxy: false | string[];
  /** Where Prometheus scrapes; null: off. */
  metrics: { host: string; port: number } | null;
  logLevel: LogLevel;
  /** PostgreSQL; null: SQLite in the data folder. May hold a password. */
  database: { url: string; replicaUrl: string | null; pool: number } | null;
  /** Seconds that a node serves on without its database. */
  staleLimitSeconds: number;
  /** Of the Redis that counts requests; null: each node counts for itself. May hold a password. */
  redisUrl: string | null;
  /** The bucket of audio and artwork, the prefix without slashes around it; null: the data folder. */
  media: { bucket: string; prefix: string; delivery: 'redirect' | 'proxy' } | null;
}

/** Names and values, as `process.env` holds them. */
export type Environment = Readonly<Record<string, string | undefined>>;

type Values = { [Key in keyof typeof SETTINGS]: (typeof SETTINGS)[Key]['fallback'] };

/**
 * The configuration that the environment gives. Throws one OperatorError of one line that names
 * every unknown `STAVE_` name and every bad value, and never shows a value: it may be a secret.
 * An empty value counts as absent.
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
  if (values.databaseReplica !== null && values.database === null) {
    problems.push(`${SETTINGS.databaseReplica.name} needs ${SETTINGS.database.name}`);
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
    metrics: values.metrics,
    logLevel: values.logLevel,
    database:
      database === null
        ? null
        : { url: database, replicaUrl: values.databaseReplica, pool: values.databasePool },
    staleLimitSeconds: values.staleLimit,
    redisUrl: values.redis,
    media: media === null ? null : { ...media, delivery: values.mediaDelivery },
  };
}

/** Whether failures are to be told with their stack, however broken the rest of the environment is. */
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
      const advice = near === undefined ? `known are ${known.join(', ')}` : `did you mean ${near}?`;
      return `${name} is not a setting: ${advice}`;
    });
}

/** Compared without the prefix, which would make any two names look alike. */
function nearestSetting(name: string, known: readonly string[]): string | undefined {
  const bare = (one: string) => one.replace(/^STAVE_/, '');
  const word = bare(name);
  const near = nearest(word, known.map(bare)) ?? sameBeginning(word, known.map(bare));
  return known.find((one) => bare(one) === near);
}

/** The one that begins like the word for longest, and for three letters at least. */
function sameBeginning(word: string, known: readonly string[]): string | undefined {
  const shared = (one: string) => [...one].findIndex((letter, i) => letter !== word[i]);
  const lengths = known.map((one) => ({
    one,
    length: shared(one) === -1 ? one.length : shared(one),
  }));
  const best = lengths.reduce((a, b) => (b.length > a.length ? b : a));
  return best.length >= 3 ? best.one : undefined;
}
