import { pino } from 'pino';
import type { Clock } from './kernel/clock.ts';
import type { Log } from './kernel/log.ts';
import type { LogLevel } from './settings.ts';

/** Where log lines go; process.stderr will do. */
export interface LogDestination {
  write(line: string): void;
}

/** Members whose value is never logged, down to the third level of a line. */
const SECRET_MEMBERS = [
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
];

/** What secrets, tokens (cut short, too) and signatures look like wherever they stand in a line: the last net. */
const SECRET_TEXT =
  /stave_(?:test|live)_[0-9A-Za-z]+|(?-i:eyJ)[\w-]{6,}(?:\.[\w-]*){0,2}|\bsignature=[\w%-]+|\b(?:Basic|Bearer) +[\w.~+/=-]{8,}/gi;

/**
 * The log as JSON lines: `level` in words, `time` in ISO 8601, then the fields. Written at once, so
 * that no line is lost when the process ends. Secrets are struck out by name and by form.
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
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: SECRET_MEMBERS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
        censor: '[secret]',
      },
      hooks: { streamWrite: (line) => line.replace(SECRET_TEXT, '[secret]') },
    },
    destination,
  );
}
