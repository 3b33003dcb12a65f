import { createPrivateKey, X509Certificate } from 'node:crypto';
import { access, constants, readdir, readFile, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Config } from '../../app/config/config.ts';
import { DATABASE_FILE, MEDIA_FOLDER } from '../../app/open/data-folder.ts';
import { DAY_MS } from '../../common/clock.ts';
import { counted } from '../../common/text/counted.ts';
import { LOCK_FILES } from '../../engines/sql/sqlite/folder-lock.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

/** The oldest Node that runs Stave's TypeScript without a build. */
const OLDEST_NODE = 24;

const MEGABYTE = 1e6;

const LOCK_NAMES = Object.values(LOCK_FILES);

/** Checks the version of Node. */
export function checkNode(version: string): Finding {
  return Number(version.split('.')[0]) >= OLDEST_NODE
    ? ok('node', `Node ${version}`)
    : failed('node', `Node ${version}`, `run Stave with Node ${OLDEST_NODE} or newer`);
}

/**
 * Checks whether the data folder, or the folder to create it in, is writable and closed to other
 * users.
 */
export async function checkDataFolder({ dataFolder }: Config): Promise<Finding> {
  const check = 'data folder';
  const found = await nearestFolder(dataFolder);
  try {
    await access(found, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return failed(
      check,
      `${found} cannot be written`,
      'give its user the rights, or set STAVE_DATA',
    );
  }
  if (found !== dataFolder) {
    return ok(check, `${dataFolder} does not exist yet; the first start makes it`);
  }
  const { mode, uid } = await stat(found);
  for (const path of await partsOf(dataFolder)) {
    const part = await stat(path);
    const rights = part.isDirectory() ? constants.X_OK : 0;
    try {
      await access(path, constants.R_OK | constants.W_OK | rights);
    } catch {
      return failed(check, `${path} cannot be written`, 'give its user the rights');
    }
    if (part.uid !== uid) {
      const advice = `chown it, and run commands as the user that serves (not with sudo)`;
      return warning(check, `${path} belongs to another user than ${found}`, advice);
    }
  }
  return (mode & 0o007) !== 0
    ? warning(check, `${found} is open to every user of this machine`, `chmod 700 ${found}`)
    : ok(check, found);
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

/** Checks whether the disk of the data folder has free space. */
export async function checkSpace({ dataFolder }: Config): Promise<Finding> {
  const { bavail, bsize } = await statfs(await nearestFolder(dataFolder));
  const megabytes = Math.floor((bavail * bsize) / MEGABYTE);
  const detail = `${megabytes} MB free`;
  const advice = 'make room: imports and backups need it first';
  if (megabytes < 100) {
    return failed('disk space', detail, advice);
  }
  return megabytes < 1000 ? warning('disk space', detail, advice) : ok('disk space', detail);
}

/** Checks whether certificate and key are readable, match and are valid now. */
export async function checkTls({ tls }: Config, now: number): Promise<Finding> {
  if (tls === null) {
    return ok('tls', 'off: plain HTTP');
  }
  try {
    const certificate = new X509Certificate(await readFile(tls.certFile));
    if (!certificate.checkPrivateKey(createPrivateKey(await readFile(tls.keyFile)))) {
      return failed('tls', 'key and certificate do not belong together', 'set the matching key');
    }
    const days = Math.floor((certificate.validToDate.getTime() - now) / DAY_MS);
    if (days < 0 || certificate.validFromDate.getTime() > now) {
      return failed('tls', 'the certificate has expired or is not valid yet', 'renew it');
    }
    return days < 14
      ? warning('tls', `the certificate ends in ${counted(days, 'day')}`, 'renew it')
      : ok('tls', `the certificate is good for ${counted(days, 'day')}`);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    const reason = code.startsWith('E') && !code.startsWith('ERR_') ? code : 'not PEM';
    return failed(
      'tls',
      `certificate or key cannot be read (${reason})`,
      'look at the files that STAVE_TLS_CERT and STAVE_TLS_KEY name',
    );
  }
}

/** Returns the folder itself, or the nearest parent that exists. */
async function nearestFolder(folder: string): Promise<string> {
  const exists = await stat(folder).then(
    () => true,
    () => false,
  );
  return exists || dirname(folder) === folder ? folder : nearestFolder(dirname(folder));
}
