import { pino } from 'pino';
import type { Clock } from '../common/clock.ts';
import type { Log } from '../common/log.ts';
import { REDACTED, withoutSecretText } from '../common/secret-text.ts';
import type { LogLevel } from './setting-values.ts';

/** The destination of log lines, such as process.stderr. */
export interface LogDestination {
  write(line: string): void;
}

/** Members whose value is never logged. */
const SECRET_MEMBERS = new Set([
  'secret',
  'client_secret',
  'clientSecret',
  'testSecret',
  'liveSecret',
  'token',
  'access_token',
  'accessToken',
  'authorization',
  'cookie',
  'password',
  'signature',
  'hash',
]);

/** How deep in a log line secrets are redacted. */
const STRUCK_LEVELS = 3;

/**
 * Opens the log: JSON lines with `level` as a word, `time` in ISO 8601, then the fields. Lines are written
 * synchronously, so that none is lost when the process ends. Secrets are redacted by their names and by
 * their form.
 */
export function openLog({
  level,
  clock,
  destination = pino.destination({ fd: 2, sync: true }),
}: {
  level: LogLevel;
  clock: Clock;
  destination?: LogDestination;
}): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      formatters: {
        level: (label) => ({ level: label }),
        log: (fields) => withoutSecrets(fields, STRUCK_LEVELS),
      },
      serializers: {
        err: (error) => withoutSecrets(pino.stdSerializers.err(error), STRUCK_LEVELS - 1),
      },
      hooks: { streamWrite: (line) => withoutSecretText(line) },
    },
    destination,
  );
}

/**
 * The fields themselves, or a copy where something is redacted. Pino's own `redact` is much slower for
 * members at any depth.
 */
function withoutSecrets(fields: object, levels: number): Record<string, unknown> {
  const given = fields as Record<string, unknown>;
  let shown = given;
  for (const name of Object.keys(given)) {
    const value = given[name];
    const kept = SECRET_MEMBERS.has(name)
      ? REDACTED
      : levels > 1 && isNested(value)
        ? withoutSecrets(value, levels - 1)
        : value;
    if (kept !== value) {
      shown = shown === given ? Object.assign(Array.isArray(given) ? [] : {}, given) : shown;
      shown[name] = kept;
    }
  }
  return shown;
}

/** Errors are excluded: their serializer redacts them. */
function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof Error);
}
