import { isatty } from 'node:tty';
import { pino } from 'pino';
import type { Clock } from '../../common/clock.ts';
import type { Log } from '../../common/log.ts';
import { humanLine } from '../../common/text/human-line.ts';
import { REDACTED, withoutSecretText } from '../../common/text/shown.ts';
import type { LogLevel } from '../config/setting-values.ts';

/** Such as process.stderr. */
export interface LogDestination {
  write(line: string): void;
}

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

/** Secrets are redacted in so many levels of a log line. */
const REDACTED_LEVELS = 3;

/**
 * Opens the log: JSON lines with `level` as a word, `time` in ISO 8601, then the fields, or short lines if standard
 * error is a terminal. It writes lines synchronously, so that none is lost when the process ends. It redacts secrets by
 * their names and by their form.
 */
export function openLog({
  level,
  clock,
  fields = null,
  destination = standardError(),
}: {
  level: LogLevel;
  clock: Clock;
  /** The first fields of all lines. */
  fields?: Record<string, unknown> | null;
  destination?: LogDestination;
}): Log {
  return pino(
    {
      level,
      base: fields,
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      formatters: {
        level: (label) => ({ level: label }),
        log: (fields) => withoutSecrets(fields, REDACTED_LEVELS),
      },
      serializers: {
        err: (error) => withoutSecrets(pino.stdSerializers.err(error), REDACTED_LEVELS - 1),
      },
      hooks: { streamWrite: (line) => withoutSecretText(line) },
    },
    destination,
  );
}

/** A terminal that has been closed, and a reader that has left, fail no work. */
function standardError(): LogDestination {
  const destination = pino.destination({ fd: 2, sync: true });
  destination.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EIO' && error.code !== 'EPIPE') throw error;
  });
  if (!isatty(2)) return destination;
  return { write: (line) => void destination.write(humanLine(line)) };
}

/**
 * Returns the fields themselves, or a copy if something is redacted. Pino's own `redact` is much slower for
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

/** Excludes errors, because their serializer redacts them. */
function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof Error);
}
