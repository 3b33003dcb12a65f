/**
 * Parsers of the values of settings. Each throws an OperatorError whose message continues after the name of
 * the setting. It never contains the value, which may be a secret.
 */

import { isIP } from 'node:net';
import { OperatorError } from '../../common/errors.ts';
import { MP3_KBPS, type Mp3Kbps } from '../../engines/audio/mp3/mp3-layout.ts';
import { parseAddress, withEnvironment } from '../../engines/sql/postgres/link/address.ts';
import { canonicalLanguage, isLanguageTag } from '../../features/languages/languages.ts';

/** Like `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export function hostName(text: string): string {
  const name = /^(?=.{1,253}$)[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i;
  // A name that consists of digits and dots must be an address.
  if (isIP(text) !== 0 || (name.test(text) && /[a-z]/i.test(text))) {
    return text;
  }
  throw new OperatorError('must be an IP address (without brackets) or a host name');
}

export function publicUrl(text: string): string {
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

/** Throws for an address with a path. */
export function originUrl(text: string): string {
  const url = publicUrl(text);
  if (new URL(url).origin !== url) throw new OperatorError('must be an address without a path');
  return url;
}

/** Returns the name of a header in lower case, as Node gives it. */
export function headerName(text: string): string {
  if (/^[\w-]{1,64}$/.test(text)) return text.toLowerCase();
  throw new OperatorError('must be the name of a header: 1 to 64 letters, digits, - and _');
}

export function nameOfLicensor(text: string): string {
  if (/\p{Cc}/u.test(text) || text.length > 200 || text.trim() === '') {
    throw new OperatorError('must have 1 to 200 characters, on one line');
  }
  return text;
}

/** Parses a client id or a secret: printable ASCII without spaces. The service decides whether it is valid. */
export function credential(text: string): string {
  if (!/^[!-~]{1,200}$/.test(text)) {
    throw new OperatorError('must have 1 to 200 printable ASCII characters without spaces');
  }
  return text;
}

export function eitherOf<const A extends string, const B extends string>(first: A, second: B) {
  return (text: string): A | B => {
    const word = [first, second].find((one) => one === text);
    if (word === undefined) throw new OperatorError(`must be ${first} or ${second}`);
    return word;
  };
}

const STREAM_MODES = ['playable', 'mp3', 'original'] as const;

export function streamMode(text: string): (typeof STREAM_MODES)[number] {
  const mode = STREAM_MODES.find((one) => one === text);
  if (mode === undefined) throw new OperatorError('must be playable, mp3 or original');
  return mode;
}

export function proxies(text: string): string[] {
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
  if (['loopback', 'linklocal', 'uniquelocal'].includes(entry)) return true;
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  // A prefix of 0 would trust everyone, so that every caller could forge an address.
  return (
    bits > 0 &&
    rest.length === 0 &&
    (prefix === undefined ||
      (/^\d{1,3}$/.test(prefix) && Number(prefix) >= 1 && Number(prefix) <= bits))
  );
}

export function metricsAddress(text: string): { host: string; port: number } {
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

/** `local`, `off`, or the address of a service. */
export function embeddings(text: string): string {
  if (text === 'local' || text === 'off') return text;
  try {
    return publicUrl(text);
  } catch {
    throw new OperatorError(
      'must be local, off, or the address of a service, http://HOST:PORT/v1 or https://HOST/v1, without user, query or fragment',
    );
  }
}

/** A key of a service: printable ASCII without spaces. */
export function serviceKey(text: string): string {
  if (/^[!-~]{1,4000}$/.test(text)) return text;
  throw new OperatorError('must have 1 to 4000 printable ASCII characters without spaces');
}

/** Adds to the URL what libpq reads from the environment. */
export function databaseUrl(text: string, environment: Environment = {}): string {
  const url = withEnvironment(text, environment);
  parseAddress(url);
  return url;
}

export function redisUrl(text: string): string {
  const url = URL.parse(text);
  if (
    url === null ||
    !['redis:', 'rediss:'].includes(url.protocol) ||
    !/^(\/\d{0,4})?$/.test(url.pathname)
  ) {
    throw new OperatorError('must be redis://HOST:PORT or, with TLS, rediss://HOST:PORT');
  }
  return text;
}

/** The prefix has no slashes around it; it is `""` if the value has none. */
export function bucketUrl(text: string): { bucket: string; prefix: string } {
  const [, bucket, prefix = ''] =
    /^s3:\/\/([a-z0-9][a-z0-9._-]{1,61}[a-z0-9])(?:\/([A-Za-z0-9!_.*'()/-]*))?$/.exec(text) ?? [];
  if (bucket === undefined) {
    throw new OperatorError('must be s3://BUCKET or s3://BUCKET/PREFIX');
  }
  return { bucket, prefix: prefix.replace(/^\/+|\/+$/g, '') };
}

/** Returns the parser of a whole number within bounds, both included. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new OperatorError(`must be a whole number from ${least} to ${most}`);
  };
}

export function bitRate(text: string): Mp3Kbps {
  const kbps = MP3_KBPS.find((known) => String(known) === text);
  if (kbps === undefined) throw new OperatorError(`must be one of ${MP3_KBPS.join(', ')}`);
  return kbps;
}

export const portNumber = wholeNumber(0, 65_535);

export function logLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((known) => known === text);
  if (level === undefined) {
    throw new OperatorError(`must be one of ${LOG_LEVELS.join(', ')}`);
  }
  return level;
}

export function languageTag(text: string): string {
  if (!isLanguageTag(text)) {
    throw new OperatorError('must be a language tag such as en or pt-BR');
  }
  return canonicalLanguage(text);
}

/** The samplers of OpenTelemetry, as OTEL_TRACES_SAMPLER names them. */
const SAMPLERS = ['always_on', 'always_off', 'traceidratio'].flatMap((name) => [
  name,
  `parentbased_${name}`,
]);

export function traceSampler(text: string): string {
  if (SAMPLERS.includes(text)) return text;
  throw new OperatorError(`must be one of ${SAMPLERS.join(', ')}`);
}

export function share(text: string): number {
  const number = /^[\d.]+$/.test(text) ? Number(text) : Number.NaN;
  if (number >= 0 && number <= 1) return number;
  throw new OperatorError('must be a number from 0 to 1');
}

/** Parses `NAME=VALUE,NAME=VALUE`, whose values are percent-encoded. */
export function headerList(text: string): Record<string, string> {
  const pairs = text.split(',').map((pair) => {
    const [, name, encoded] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
    const value = encoded === undefined ? undefined : decoded(encoded);
    if (name === undefined || value === undefined || /[^\t -~]/.test(value)) {
      throw new OperatorError('must be NAME=VALUE,NAME=VALUE, with the values percent-encoded');
    }
    return [name, value];
  });
  return Object.fromEntries(pairs);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
