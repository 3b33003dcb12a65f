import { isIP } from 'node:net';
import { OperatorError } from '../../../../common/errors.ts';
import { isLoopback } from '../../../../common/loopback.ts';
import { didYouMean } from '../../../../common/text/explain.ts';

/** In libpq's order and with its meaning (postgresql.org/docs/current/libpq-ssl.html). */
const TLS_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
type TlsMode = (typeof TLS_MODES)[number];

/** The parameters of libpq that Stave has, and the variables that libpq reads where a URL does not name them. */
const PARAMETERS: Readonly<Record<string, string | undefined>> = {
  host: 'PGHOST',
  port: 'PGPORT',
  dbname: undefined,
  user: 'PGUSER',
  password: undefined,
  application_name: undefined,
  options: undefined,
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
};

/** The value of `sslrootcert` for the authorities that Node.js trusts. */
export const SYSTEM_ROOTS = 'system';

const FORM = 'must be postgres://USER@HOST:PORT/DATABASE';
const NOT_ENCODED =
  'has a character that a URL cannot have there: in a user name or a password, write # as %23, / as %2F, ? as %3F, @ as %40 and % as %25';

/** A PostgreSQL database as its URL names it. */
export interface PostgresAddress {
  /** A host name, an IP address without brackets, or the folder of a Unix socket, which begins with `/`. */
  host: string;
  port: number;
  user: string | undefined;
  password: string | undefined;
  database: string;
  mode: TlsMode;
  /** Paths of PEM files; `rootCert` may be SYSTEM_ROOTS. */
  rootCert: string | undefined;
  cert: string | undefined;
  key: string | undefined;
  applicationName: string | undefined;
  options: string;
}

/**
 * Reads a URL as libpq does. Throws an OperatorError whose message continues after the name of what contains the URL. It
 * shows names and modes of parameters, and no other part of the URL.
 */
export function parseAddress(url: string): PostgresAddress {
  const given = parametersOf(url);
  const { host = '', port = '5432', dbname = '', sslrootcert } = given;
  if (`${host}${port}`.includes(',')) {
    throw new OperatorError(
      'names several hosts: give one address that always leads to the primary (docs/operations.md#failover)',
    );
  }
  const isPort = /^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535;
  if (!isPort || dbname === '') throw new OperatorError(FORM);
  if (host === '') {
    throw new OperatorError(
      'names no host: write postgres://USER@HOST/DATABASE, or postgres://USER@/DATABASE?host=/var/run/postgresql for a Unix socket',
    );
  }
  const mode = modeOf(given);
  return {
    host,
    port: Number(port),
    user: given.user || undefined,
    password: given.password || undefined,
    database: dbname,
    mode,
    rootCert: sslrootcert || undefined,
    // Without TLS, the variables may name what another database needs.
    ...(mode === 'disable' || isSocket(host) ? NO_PAIR : pairOf(given)),
    applicationName: given.application_name || undefined,
    options: given.options ?? '',
  };
}

/** Adds to a URL what it does not say and libpq reads from the environment. Throws as `parseAddress` does. */
export function withEnvironment(
  url: string,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const given = parametersOf(url);
  const added = Object.entries(PARAMETERS).flatMap(([name, variable]) => {
    const value = environment[variable ?? ''];
    const isMissing = given[name] === undefined && value !== undefined && value !== '';
    return isMissing ? [[name, value] as const] : [];
  });
  return added.reduce((made, [name, value]) => withParameter(made, name, value), url);
}

/** Of a parameter that is given twice, the last one applies. */
export function withParameter(url: string, name: string, value: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(value)}`;
}

/** Returns the name of the database for messages: without user, password and parameters. */
export function nameOf(url: string): string {
  const { host, port, database } = parseAddress(url);
  const shownHost = isIP(host) === 6 ? `[${host}]` : host;
  const shownPort = port === 5432 || isSocket(host) ? '' : `:${port}`;
  return `${shownHost}${shownPort}/${encodeURI(database)}`;
}

/** Whether the host is the folder of a Unix socket. There is no TLS on it, as with libpq. */
export function isSocket(host: string): boolean {
  return host.startsWith('/');
}

/** Whether connections to the host do not leave this machine. */
export function isThisMachine(host: string): boolean {
  return isSocket(host) || isLoopback(host);
}

/** Splits a URL into the parameters of libpq, of which the last one applies. */
function parametersOf(url: string): Record<string, string | undefined> {
  const parts = /^postgres(?:ql)?:\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?(#)?/s.exec(url);
  if (parts === null) throw new OperatorError(FORM);
  const [, authority = '', path = '', query = '', hash] = parts;
  // A password that contains one of # / ? ends early, and the @ is behind it.
  if (hash !== undefined || path.includes('@') || (path === '' && query.includes('@'))) {
    throw new OperatorError(NOT_ENCODED);
  }
  const at = authority.lastIndexOf('@');
  const [user, ...password] = authority.slice(0, Math.max(at, 0)).split(':');
  const [hosts, ports] = hostsOf(authority.slice(at + 1));
  const pairs = [
    ['host', hosts],
    ['port', ports],
    ['dbname', path],
    ['user', user],
    ['password', password.join(':')],
  ].filter(([, value]) => value !== '');
  for (const pair of query.split('&').filter(Boolean)) pairs.push(parameterOf(pair));
  return Object.fromEntries(pairs.map(([name, value]) => [name, decoded(value!)]));
}

/** Several hosts keep their commas. */
function hostsOf(text: string): [hosts: string, ports: string] {
  const entries = text.split(',').map((entry) => {
    const parts = /^(?:\[([^\]]+)\]|([^:[\]]*))(?::(.*))?$/.exec(entry);
    if (parts === null) throw new OperatorError(FORM);
    return { host: parts[1] ?? parts[2]!, port: parts[3] ?? '' };
  });
  return [
    entries.map(({ host }) => host).join(','),
    entries.every(({ port }) => port === '') ? '' : entries.map(({ port }) => port).join(','),
  ];
}

function parameterOf(pair: string): [name: string, value: string] {
  const [name = '', ...rest] = pair.split('=');
  const value = rest.join('=');
  // libpq knows this one of JDBC.
  if (name === 'ssl' && value === 'true') return ['sslmode', 'require'];
  if (Object.hasOwn(PARAMETERS, name)) return [name, value];
  // What is no word may be a part of a password.
  if (!/^[a-z_]{1,40}$/i.test(name)) throw new OperatorError(NOT_ENCODED);
  const known = Object.keys(PARAMETERS);
  const hint = didYouMean(name, known) || `: it has ${known.join(', ')}`;
  throw new OperatorError(`has the parameter ${name}, which Stave does not have${hint}`);
}

function decoded(text: string): string {
  try {
    const value = decodeURIComponent(text);
    if (!value.includes('\0')) return value;
  } catch {
    // A % that begins no character.
  }
  throw new OperatorError(NOT_ENCODED);
}

function modeOf({ sslmode, sslrootcert }: Record<string, string | undefined>): TlsMode {
  const isSystem = sslrootcert === SYSTEM_ROOTS;
  const mode = TLS_MODES.find(
    (known) => known === (sslmode || (isSystem ? 'verify-full' : 'prefer')),
  );
  if (mode === undefined) {
    const shown = /^[a-z-]{1,20}$/i.test(sslmode!) ? ` ${sslmode}` : '';
    throw new OperatorError(
      `has the unknown sslmode${shown}: the modes are ${TLS_MODES.join(', ')}`,
    );
  }
  if (isSystem && mode !== 'verify-full') {
    throw new OperatorError(
      `has sslrootcert=system with sslmode=${mode}: everyone can get such a certificate, so it needs sslmode=verify-full`,
    );
  }
  if (mode === 'verify-ca' && !sslrootcert) {
    throw new OperatorError(
      'has sslmode=verify-ca without sslrootcert: name the file with the certificate of the authority, such as sslrootcert=/etc/stave/postgres-ca.pem',
    );
  }
  return mode;
}

const NO_PAIR = { cert: undefined, key: undefined };

function pairOf({ sslcert, sslkey }: Record<string, string | undefined>) {
  const [cert, key] = [sslcert || undefined, sslkey || undefined];
  if ((cert === undefined) !== (key === undefined)) {
    throw new OperatorError('needs sslcert and sslkey (PGSSLCERT and PGSSLKEY) together');
  }
  return { cert, key };
}
