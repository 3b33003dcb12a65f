import { readFileSync } from 'node:fs';
import querystring from 'node:querystring';
import { OperatorError } from '../../common/errors.ts';
import { nearest } from '../../common/text/explain.ts';
import type { Environment } from './setting-values.ts';
import { fileNameOf, SETTINGS, type Setting, TEST_PREFIX } from './settings.ts';

/**
 * The configuration (docs/contract/operations.md#settings), read once from the environment. SETTINGS describes its members.
 * The URLs of the database and of Redis may contain passwords.
 */
export type Config = ReturnType<typeof readConfig>;

type Values = { [Key in keyof typeof SETTINGS]: (typeof SETTINGS)[Key]['fallback'] };

const CARRIAGE_RETURN =
  'ends with a carriage return: save the file that contains it with the line ends of Unix (LF)';

const LINE_FEED = 'ends with a line feed: remove it (in YAML, write |- in place of |)';

/** Variables of the libraries for PostgreSQL and S3, which do not check them, and paths of secrets. */
const OTHERS = /^(PG|AWS_|(STAVE|OTEL)_\w+_FILE$)/;

/**
 * Reads the configuration from the environment, and secrets from the files that it names. An empty value counts as
 * absent. Throws one OperatorError of one line that lists every unknown `STAVE_` name and every invalid setting. It
 * contains no value, because a value may be a secret.
 */
export function readConfig(env: Environment = process.env) {
  const problems = [...unknownNames(env), ...endsOfOthers(env)];
  const values = Object.fromEntries(
    Object.entries(SETTINGS).map(([key, setting]) => [key, readSetting(setting, env, problems)]),
  ) as Values;
  if ((values.tlsCert === null) !== (values.tlsKey === null)) {
    const missing = values.tlsKey === null ? SETTINGS.tlsKey : SETTINGS.tlsCert;
    problems.push(`${missing.name} is missing: certificate and key are needed together`);
  }
  if (values.consoleUserHeader !== null && !env[SETTINGS.trustProxy.name]) {
    problems.push(
      `${SETTINGS.trustProxy.name} is missing: ${SETTINGS.consoleUserHeader.name} is believed only from proxies that it names`,
    );
  }
  if (!values.consolePasswords && !env[SETTINGS.consoleUserHeader.name]) {
    problems.push(
      `${SETTINGS.consoleUserHeader.name} is missing: with ${SETTINGS.consolePasswords.name}=off, nobody could sign in`,
    );
  }
  if (problems.length > 0) throw new OperatorError(problems.join('; '));
  const { tlsCert, tlsKey, console: consolePort, consoleHost, consoleUrl, ...others } = values;
  const { maxConnections, maxConnectionsOfAddress, database, databasePool, ...rest } = others;
  const { media, mediaDelivery: delivery, ffmpeg, url, clientId, clientSecret, ...more } = rest;
  const { embeddings, embeddingsModel, embeddingsKey, ...some } = more;
  const {
    otlpEndpoint,
    otlpHeaders: headers,
    serviceName,
    traceSampler,
    traceRatio,
    ...single
  } = some;
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
    /** `setting` is null by default. */
    embeddings: { setting: embeddings, model: embeddingsModel, key: embeddingsKey },
    /** Null: no traces. */
    tracing:
      otlpEndpoint === null
        ? null
        : { url: `${otlpEndpoint}/v1/traces`, headers, serviceName, traceSampler, traceRatio },
    /** Who has called a command by sudo; null without sudo. */
    sudoUser: SUDO_USER.test(env.SUDO_USER ?? '') ? env.SUDO_USER! : null,
    systemd: systemdOf(env),
  };
}

/** Parses the URL of another database, with the same environment. Throws OperatorError, as the setting does. */
export function databaseUrlOf(text: string, env: Environment = process.env): string {
  return SETTINGS.database.parse(text, env)!;
}

/** What systemd asks of this process by the environment (sd_notify(3)): null for nothing. */
function systemdOf(env: Environment): { watchdogMs: number | null } | null {
  if (!env.NOTIFY_SOCKET) return null;
  const isMeant = env.WATCHDOG_PID === undefined || Number(env.WATCHDOG_PID) === process.pid;
  const watchdogMs = Number(env.WATCHDOG_USEC) / 1_000;
  return { watchdogMs: isMeant && watchdogMs > 0 ? watchdogMs : null };
}

/** The name of a user, which the change log shows. */
const SUDO_USER = /^[\w.@-]{1,64}$/;

/** Also works with an invalid environment. */
export function wantsStacks(env: Environment = process.env): boolean {
  return ['debug', 'trace'].includes(env[SETTINGS.logLevel.name] ?? '');
}

/** What a bug report shows of the settings, and what must be in none of its texts. */
export interface ReportedSettings {
  /** The settings that are not at their default. A value that may contain a secret, or is invalid, is null. */
  settings: readonly {
    name: string;
    from: 'environment' | 'file';
    value: string | null;
    problem?: string;
  }[];
  /** The names of other variables that Stave or its libraries read, or would refuse. */
  others: readonly string[];
  secrets: readonly string[];
}

/** Also works with an invalid environment. */
export function reportSettings(env: Environment = process.env): ReportedSettings {
  const names = new Set<string>();
  const secrets: string[] = [];
  const settings: ReportedSettings['settings'][number][] = [];
  for (const setting of Object.values(SETTINGS)) {
    const { name, isSecret } = setting;
    names.add(name);
    const from = isSecret && env[fileNameOf(setting)] ? 'file' : 'environment';
    if (from === 'environment' && !env[name]) continue;
    const problems: string[] = [];
    readSetting(setting, env, problems);
    const isShown = !isSecret && problems.length === 0;
    settings.push({
      ...{ name, from, value: isShown ? env[name]! : null },
      ...(problems.length > 0 && { problem: problems.join() }),
    });
    if (isSecret) secrets.push(...secretsOf(setting, env));
  }
  for (const [name, value = ''] of Object.entries(env)) {
    if (!names.has(name) && MAY_BE_SECRET.test(name)) secrets.push(value);
  }
  return {
    settings,
    others: Object.keys(env)
      .filter((name) => !names.has(name) && /^(PG|AWS_|STAVE_|OTEL_|NODE_)/.test(name))
      .sort(),
    secrets: secrets.filter((secret) => secret !== ''),
  };
}

/** Names of variables of other programs whose values may be secrets. */
const MAY_BE_SECRET = /PASS(?!FILE)|SECRET|TOKEN|HEADERS|CREDENTIAL|KEY/i;

/** Returns the value of a secret setting wherever it is, and the password in it, in both codings. */
function secretsOf(setting: Setting<unknown>, env: Environment): string[] {
  const inline = env[setting.name];
  let inFile: string | undefined;
  try {
    inFile = textOf(setting, { ...env, [setting.name]: undefined });
  } catch (error) {
    // The file cannot be read.
    if (!(error instanceof OperatorError)) throw error;
  }
  return [inline, inFile].flatMap((text) => {
    if (!text) return [];
    const { password = '', searchParams } = URL.parse(text) ?? {};
    return [text, password, querystring.unescape(password), searchParams?.get('password') ?? ''];
  });
}

function readSetting(setting: Setting<unknown>, env: Environment, problems: string[]): unknown {
  try {
    const text = textOf(setting, env);
    if (text === undefined) return setting.fallback;
    refuseInvisible(text);
    return setting.parse(text, env);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    problems.push(`${setting.name} ${error.message}`);
    return setting.fallback;
  }
}

/**
 * Returns the value of a setting; undefined if it is absent. A secret may be in a file that the environment names; the end
 * of its line does not count.
 */
function textOf(setting: Setting<unknown>, env: Environment): string | undefined {
  const inline = env[setting.name] || undefined;
  const name = fileNameOf(setting);
  const path = setting.isSecret && env[name];
  if (!path) return inline;
  if (inline !== undefined) throw new OperatorError(`and ${name} are both set: remove one of them`);
  let text: string;
  try {
    text = readFileSync(path, 'utf8').replace(/\n$/, '');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new OperatorError(`cannot be read from the file that ${name} names (${code})`);
  }
  if (text === '') throw new OperatorError(`is missing: the file that ${name} names is empty`);
  return text;
}

/** What a shell and an editor do not show, and a path or a password would contain. */
function refuseInvisible(text: string): void {
  const end = endProblem(text);
  if (end !== undefined) throw new OperatorError(end);
  if (text !== text.trim() || /\p{Cc}/u.test(text)) {
    throw new OperatorError(
      'must not contain a control character, or begin or end with a space or another invisible one',
    );
  }
}

function endProblem(text: string): string | undefined {
  if (/\r\n?$/.test(text)) return CARRIAGE_RETURN;
  return text.endsWith('\n') ? LINE_FEED : undefined;
}

/** Returns the problems of variables that are no settings, but are read as well. */
function endsOfOthers(env: Environment): string[] {
  return Object.keys(env)
    .filter((name) => OTHERS.test(name))
    .flatMap((name) => {
      const end = endProblem(env[name]!);
      return end === undefined ? [] : [`${name} ${end}`];
    });
}

function unknownNames(env: Environment): string[] {
  const settings = Object.values(SETTINGS);
  const inFiles = settings.filter(({ isSecret }) => isSecret).map(fileNameOf);
  const known = [...settings.map(({ name }) => name), ...inFiles];
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
