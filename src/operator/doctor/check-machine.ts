import type { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { access, constants, readdir, stat, statfs } from 'node:fs/promises';
import { get as getHttp, type IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { periodFault, readCertificate } from '../../app/certificate-files.ts';
import type { Config } from '../../app/config/config.ts';
import { DATABASE_FILE, MEDIA_FOLDER } from '../../app/open/data-folder.ts';
import { DAY_MS } from '../../common/clock.ts';
import { nearestFolder } from '../../common/files.ts';
import { sharedFileSystem } from '../../common/shared-file-system.ts';
import { counted } from '../../common/text/shown.ts';
import {
  type RedisFacts,
  redisAddress,
  redisFacts,
  redisFault,
} from '../../engines/limits/redis/connection.ts';
import { listenFault } from '../../engines/net/listen-fault.ts';
import { holderOf, LOCK_FILES } from '../../engines/sql/sqlite/folder-lock.ts';
import { type Found, failed, ok, warning } from './finding.ts';

/** The oldest Node that runs Stave's TypeScript without a build. */
const OLDEST_NODE = 24;

const MEGABYTE = 1e6;

const LOCK_NAMES = Object.values(LOCK_FILES);

export function checkNode(version: string): Found {
  return Number(version.split('.')[0]) >= OLDEST_NODE
    ? ok(`Node ${version}`)
    : failed(`Node ${version}`, `run Stave with Node ${OLDEST_NODE} or newer`);
}

/** Behind a proxy, the address on which Stave listens is none that partners can use. */
export function checkSettings({ trustProxy, publicUrl }: Config): Found {
  return trustProxy !== false && publicUrl === null
    ? warning(
        'STAVE_TRUST_PROXY is set and STAVE_PUBLIC_URL is not: the URLs of streams and artwork, and the issuer of tokens, have the address behind the proxy',
        'set STAVE_PUBLIC_URL to the address that partners use, such as https://api.example.com',
      )
    : ok('good');
}

/** Checks whether the data folder, or the folder to create it in, is writable and closed to other users. */
export async function checkDataFolder({ dataFolder }: Config): Promise<Found> {
  const found = nearestFolder(dataFolder);
  try {
    await access(found, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return failed(`${found} cannot be written`, 'give its user the rights, or set STAVE_DATA');
  }
  if (found !== dataFolder) {
    return ok(`${dataFolder} does not exist yet; the first start makes it`);
  }
  const { mode, uid } = await stat(found);
  for (const path of await partsOf(dataFolder)) {
    const part = await stat(path);
    const rights = part.isDirectory() ? constants.X_OK : 0;
    try {
      await access(path, constants.R_OK | constants.W_OK | rights);
    } catch {
      return failed(`${path} cannot be written`, 'give its user the rights');
    }
    if (part.uid !== uid) {
      const advice = `chown it, and run commands as the user that serves (not with sudo)`;
      return warning(`${path} belongs to another user than ${found}`, advice);
    }
  }
  const fileSystem = await sharedFileSystem(dataFolder);
  if (fileSystem !== undefined) {
    return warning(
      `${found} is on ${fileSystem}: if two hosts use it, the database is lost, and they may not see each other's locks`,
      'put it on a disk of this machine; several machines need PostgreSQL and a bucket',
    );
  }
  return (mode & 0o007) !== 0
    ? warning(`${found} is open to every user of this machine`, `chmod 700 ${found}`)
    : ok(found);
}

/** Returns the paths of the database, of the lock and of the media folders that exist. */
async function partsOf(dataFolder: string): Promise<string[]> {
  const names = await readdir(dataFolder);
  const media = names.includes(MEDIA_FOLDER) ? await readdir(join(dataFolder, MEDIA_FOLDER)) : [];
  return [
    ...names.filter(
      (name) => name.startsWith(DATABASE_FILE) || [MEDIA_FOLDER, ...LOCK_NAMES].includes(name),
    ),
    ...media.map((name) => join(MEDIA_FOLDER, name)),
  ].map((name) => join(dataFolder, name));
}

export async function checkSpace({ dataFolder }: Config): Promise<Found> {
  const { bavail, bsize } = await statfs(nearestFolder(dataFolder));
  const megabytes = Math.floor((bavail * bsize) / MEGABYTE);
  const detail = `${megabytes} MB free`;
  const advice = 'make room: imports and backups need it first';
  if (megabytes < 100) return failed(detail, advice);
  return megabytes < 1000 ? warning(detail, advice) : ok(detail);
}

/** Checks whether certificate and key are readable, match, are valid now, and are what a running service shows. */
export async function checkTls(config: Config, now: number): Promise<Found> {
  const { tls } = config;
  if (tls === null) return ok('off: plain HTTP');
  const certificate = await readCertificate(tls);
  const fault = periodFault(certificate, now);
  if (fault !== undefined) return failed(fault, 'renew it, or set the clock (NTP)');
  const other = (await shownCertificates(config)).find(
    ({ fingerprint256 }) => fingerprint256 !== certificate.fingerprint256,
  );
  if (other !== undefined) {
    return warning(
      `the service shows another certificate than ${tls.certFile}, which ends at ${other.validToDate.toISOString()}`,
      'see in its log why it has not read the file; with systemd, `systemctl reload stave` reads it again',
    );
  }
  const days = Math.floor((certificate.validToDate.getTime() - now) / DAY_MS);
  return days < 14
    ? warning(`the certificate ends in ${counted(days, 'day')}`, 'renew it')
    : ok(`the certificate is good for ${counted(days, 'day')}`);
}

/** Returns the certificates that running services show at the ports of the API and the console. */
async function shownCertificates({ host, port, console }: Config): Promise<X509Certificate[]> {
  const shown = await Promise.all(
    [{ host, port }, ...(console === null ? [] : [console])].map((at) => shownCertificate(at)),
  );
  return shown.filter((one) => one !== undefined);
}

function shownCertificate(at: {
  host: string;
  port: number;
}): Promise<X509Certificate | undefined> {
  const { promise, resolve } = Promise.withResolvers<X509Certificate | undefined>();
  const socket = connect({ host: reached(at.host), port: at.port, rejectUnauthorized: false });
  socket.once('secureConnect', () => resolve(socket.getPeerX509Certificate()));
  socket.once('error', () => resolve(undefined));
  socket.setTimeout(TIMEOUT_MS, () => resolve(undefined));
  return promise.finally(() => socket.destroy());
}

/** Uses loopback to reach a service that listens on every address. */
function reached(host: string): string {
  return { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
}

/** For each port and for Redis. */
const TIMEOUT_MS = 3000;

/** Checks whether the port is free, or used by a healthy Stave. */
export async function checkPort(config: Config): Promise<Found> {
  const address = `${config.host.includes(':') ? `[${config.host}]` : config.host}:${config.port}`;
  if (config.port === 0) return ok('the system chooses one at each start');
  const fault = await listenFault(config);
  if (fault === undefined) return ok(`${address} is free`);
  const { code } = fault;
  if (code === 'EADDRINUSE') return checkListener(config, address);
  const advice = code === 'EACCES' ? 'choose a PORT from 1024' : 'set HOST to an address it has';
  return failed(`this machine may not listen on ${address} (${code})`, advice);
}

async function checkListener(config: Config, address: string): Promise<Found> {
  const answer = await health(config).catch(() => undefined);
  const version = answer?.headers['x-service-version'];
  if (answer === undefined || version === undefined) {
    const holder = holderOf(config.dataFolder);
    if (holder?.address !== `${config.host}:${config.port}`) {
      return failed(`${address} is taken by another program`, 'stop it, or set PORT');
    }
    return failed(
      `the service of this data folder (process ${holder.pid}) has ${address}, and does not answer over ${config.tls === null ? 'HTTP' : 'HTTPS'}`,
      'see its log; run commands with its settings (with systemd, as `sudo stave`)',
    );
  }
  return answer.status === 200
    ? ok(`Stave ${version} serves on ${address} and is healthy`)
    : warning(`Stave ${version} on ${address} is not ready: ${answer.problem}`, 'see its log');
}

/** More than a Stave sends. */
const MAX_ANSWER_LENGTH = 10_000;

/** Returns the answer to a health check, and the message of its error. Rejects without an answer in time. */
async function health({ host, port, tls }: Config) {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const options = { hostname: reached(host), port, path: '/health-check', signal };
  // The certificate is not verified, because the request sends no secret.
  const request =
    tls === null ? getHttp(options) : getHttps({ ...options, rejectUnauthorized: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let text = '';
  for await (const part of response.setEncoding('utf8')) {
    text += part;
    if (text.length > MAX_ANSWER_LENGTH) break;
  }
  const problem = /"message":"([^"]*)"/.exec(text)?.[1] ?? 'it does not say why';
  return { status: response.statusCode, headers: response.headers, problem };
}

const OLDEST_REDIS = 7;

/** The result is at worst a warning, because Stave works without Redis. */
export async function checkRedis({ redisUrl }: Config): Promise<Found> {
  if (redisUrl === null) return ok('off: each node counts requests for itself');
  const address = redisAddress(redisUrl);
  let facts: RedisFacts;
  try {
    facts = await redisFacts(redisUrl, TIMEOUT_MS);
  } catch (error) {
    return warning(
      `${address} is away (${redisFault(error, redisUrl)}); each node counts requests by itself`,
      'start it, or look at STAVE_REDIS_URL',
    );
  }
  const { version, isReadOnly } = facts;
  if (isReadOnly) {
    return warning(
      `${address} is a read-only replica; each node counts requests by itself`,
      'name the primary in STAVE_REDIS_URL, by an address that follows it',
    );
  }
  return Number.parseInt(version, 10) >= OLDEST_REDIS
    ? ok(`Redis ${version} at ${address}`)
    : warning(
        `version ${version} at ${address}`,
        `run Redis ${OLDEST_REDIS} or newer: older versions are not tested`,
      );
}
