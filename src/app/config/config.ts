import { OperatorError } from '../../common/errors.ts';
import { nearest } from '../../common/text/explain.ts';
import type { Environment } from './setting-values.ts';
import { SETTINGS, type Setting, TEST_PREFIX } from './settings.ts';

/**
 * The configuration (docs/contract/operations.md#settings), read once from the environment. SETTINGS describes its members.
 * The URLs of the database and of Redis may contain passwords.
 */
export type Config = ReturnType<typeof readConfig>;

type Values = { [Key in keyof typeof SETTINGS]: (typeof SETTINGS)[Key]['fallback'] };

/**
 * Reads the configuration from the environment. An empty value counts as absent. Throws one OperatorError of
 * one line that lists every unknown `STAVE_` name and every invalid setting. It contains no value, because a
 * value may be a secret.
 */
export function readConfig(env: Environment = process.env) {
  const problems = unknownNames(env);
  const values = Object.fromEntries(
    Object.entries(SETTINGS).map(([key, setting]) => [key, readSetting(setting, env, problems)]),
  ) as Values;
  if ((values.tlsCert === null) !== (values.tlsKey === null)) {
    const missing = values.tlsKey === null ? SETTINGS.tlsKey : SETTINGS.tlsCert;
    problems.push(`${missing.name} is missing: certificate and key are needed together`);
  }
  if (problems.length > 0) throw new OperatorError(problems.join('; '));
  const { tlsCert, tlsKey, console: consolePort, consoleHost, consoleUrl, ...others } = values;
  const { maxConnections, maxConnectionsOfAddress, database, databasePool, ...rest } = others;
  const { media, mediaDelivery: delivery, ffmpeg, url, clientId, clientSecret, ...single } = rest;
  return {
    ...single,
    tls: tlsCert === null || tlsKey === null ? null : { certFile: tlsCert, keyFile: tlsKey },
    maxConnections: { inAll: maxConnections, ofAddress: maxConnectionsOfAddress },
    console:
      consolePort === null ? null : { host: consoleHost, port: consolePort, url: consoleUrl },
    /** PostgreSQL; null: SQLite in the data folder. */
    database: database === null ? null : { url: database, pool: databasePool },
    /** The search path has the form of PATH. */
    ffmpeg: { setting: ffmpeg, searchPath: env.PATH ?? '' },
    /** The bucket of audio and artwork; null: the data folder. */
    media: media === null ? null : { ...media, delivery },
    mcp: { url, clientId, clientSecret },
  };
}

/** Parses the URL of another database, with the same environment. Throws OperatorError, as the setting does. */
export function databaseUrlOf(text: string, env: Environment = process.env): string {
  return SETTINGS.database.parse(text, env)!;
}

/** Also works with an invalid environment. */
export function wantsStacks(env: Environment = process.env): boolean {
  return ['debug', 'trace'].includes(env[SETTINGS.logLevel.name] ?? '');
}

function readSetting(setting: Setting<unknown>, env: Environment, problems: string[]): unknown {
  const text = env[setting.name];
  if (text === undefined || text === '') return setting.fallback;
  try {
    return setting.parse(text, env);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
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

/** Compares the names without their common prefix. Otherwise one name may continue the other. */
function nearestSetting(name: string, known: readonly string[]): string | undefined {
  const bare = (one: string) => one.replace(/^STAVE_/, '');
  const word = bare(name);
  if (word === '') return undefined;
  const near =
    nearest(word, known.map(bare)) ??
    known.map(bare).find((one) => one.startsWith(word)) ??
    known.map(bare).find((one) => word.startsWith(one));
  return known.find((one) => bare(one) === near);
}
