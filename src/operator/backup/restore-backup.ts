import { access, constants, copyFile, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AppContext } from '../../app/open/context.ts';
import { DATABASE_FILE, MEDIA_FOLDER } from '../../app/open/data-folder.ts';
import { lockDataFolder } from '../../app/open/data-folder-lock.ts';
import type { Clock } from '../../common/clock.ts';
import { OperatorError } from '../../common/errors.ts';
import { fsyncPath, makePrivateFolder, unlessMissing } from '../../common/files.ts';
import { type MediaStore, mediaPath } from '../../engines/blobs/media-store.ts';
import type { Change, ChangeLog } from '../../engines/change-log/change-log.ts';
import { renewLogEpoch } from '../../engines/change-log/positions.ts';
import { holderOf } from '../../engines/sql/sqlite/folder-lock.ts';
import { copyStream, isDiskFull, namingOriginal } from './copy.ts';
import type { Manifest } from './manifest.ts';
import { isMissing, mediaOf, type Repository } from './repository.ts';

const LOG_SLICE = 1_000;

/** The prefix of the folders that a restore copies to first. */
const ASIDE = '.restore-';
/** The copy of the database whose change log is read. */
const LOG_COPY = 'log';

/**
 * Restores a backup as a data folder that has no database yet. Copies every file to a temporary
 * folder, checks it against its hash, then checks the database as a whole, gives its change log a new epoch, and
 * removes what it says of processes that ran. Only then locks the folder and moves the files to their places, the
 * database last. An interrupted restore thus leaves a folder without a database, and can be repeated. Throws
 * OperatorError, without having changed the catalog, if the backup is damaged, or if the data folder has a
 * catalog or a service.
 */
export async function restoreBackup(
  repository: Repository,
  manifest: Manifest,
  dataFolder: string,
  {
    clock,
    openCopy,
    logOf,
  }: {
    clock: Clock;
    openCopy: (dataFolder: string) => Promise<AppContext>;
    /** A data folder: the links that its change log shows as ended are ended in the restored catalog, too. */
    logOf?: string | undefined;
  },
): Promise<{ endedLinks: number }> {
  await refuseTaken(dataFolder);
  if (logOf !== undefined) await refuseWithoutLog(logOf);
  let endedLinks = 0;
  const media = await mediaOf(repository, manifest);
  if (media === undefined) throw damaged(manifest.mediaList.key, 'is missing or damaged');
  await makePrivateFolder(dataFolder);
  const aside = await mkdtemp(join(dataFolder, ASIDE));
  const self = { command: 'stave restore' };
  try {
    // The lock keeps other restores from removing the folder as that of a killed one.
    using _aside = await lockDataFolder(aside, clock, self);
    const ended =
      logOf === undefined ? [] : await endedLinksOf(logOf, join(aside, LOG_COPY), openCopy);
    await copyChecked(repository.databases, manifest.database.key, join(aside, DATABASE_FILE));
    const paths = media.map(({ key }) => join(MEDIA_FOLDER, mediaPath(key)));
    for (const [i, { key }] of media.entries()) {
      await copyChecked(repository.media, key, join(aside, paths[i]!));
    }
    const copy = await openCopy(aside);
    try {
      await copy.store.check(true);
      const epoch = await renewLogEpoch(copy.store.settings);
      if ((await copy.store.webhookFanOut.position()) !== undefined) {
        // Discards the messages that waited, before a service adds others.
        await copy.store.webhookFanOut.begin({ epoch, seq: await copy.store.changes.head() });
      }
      await copy.store.operators.endLinksAndSessions();
      // Whoever holds the cookies and links of the backup must sign in anew.
      await copy.store.clientSessions.clear(copy.by);
      endedLinks = await copy.store.links.endAll(ended, copy.by);
      await copy.store.tables.forgetProcesses();
    } finally {
      await copy.close();
    }
    using _lock = await lockDataFolder(dataFolder, clock, self);
    await refuseTaken(dataFolder);
    await moveIntoPlace(aside, dataFolder, paths);
  } catch (error) {
    throw isDiskFull(error)
      ? new OperatorError(`no space is left to restore into ${dataFolder}; nothing was put there`, {
          cause: error,
        })
      : namingOriginal(error, aside, repository.place);
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
  await removeAbandoned(dataFolder);
  return { endedLinks };
}

/** Throws OperatorError for a data folder whose change log cannot be read as a whole. */
async function refuseWithoutLog(dataFolder: string): Promise<void> {
  await access(join(dataFolder, DATABASE_FILE)).catch((cause) => {
    throw new OperatorError(`${dataFolder} holds no catalog whose log could be read`, { cause });
  });
  const holder = holderOf(dataFolder);
  if (holder === undefined) return;
  throw new OperatorError(
    `${dataFolder} is in use by \`${holder.command}\` (process ${holder.pid}): stop it before its log is read`,
  );
}

/**
 * Returns the ids of the links that the change log of a data folder shows as ended. Reads a copy of the database, so that
 * the folder stays as it is: to open a database migrates one of an earlier version, and applies its write-ahead log.
 */
async function endedLinksOf(
  dataFolder: string,
  copy: string,
  open: (dataFolder: string) => Promise<AppContext>,
): Promise<string[]> {
  await mkdir(copy, { mode: 0o700 });
  try {
    for (const name of [DATABASE_FILE, `${DATABASE_FILE}-wal`]) {
      const from = join(dataFolder, name);
      await unlessMissing(copyFile(from, join(copy, name), constants.COPYFILE_FICLONE));
    }
    const { store, close } = await open(copy);
    try {
      return await idsOfEndedLinks(store.changes);
    } finally {
      await close();
    }
  } catch (error) {
    throw namingOriginal(error, copy, dataFolder);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

async function idsOfEndedLinks(log: ChangeLog): Promise<string[]> {
  const ids: string[] = [];
  let changes: Change[] = [];
  do {
    changes = await log.since(changes.at(-1)?.seq ?? 0, ['link'], LOG_SLICE);
    ids.push(...changes.filter(({ kind }) => kind === 'ended').map(({ entityId }) => entityId));
  } while (changes.length === LOG_SLICE);
  return ids;
}

/** Removes the temporary folders of killed restores, which are as large as the catalog, and contain its keys. */
async function removeAbandoned(dataFolder: string): Promise<void> {
  const names = await readdir(dataFolder);
  for (const name of names.filter((one) => one.startsWith(ASIDE))) {
    const path = join(dataFolder, name);
    if (holderOf(path) === undefined) await rm(path, { recursive: true, force: true });
  }
}

/** Also refuses a write-ahead log without its database, because SQLite would apply it to the restored database. */
async function refuseTaken(dataFolder: string): Promise<void> {
  const names = await readdir(dataFolder).catch((error) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const taken = names.find((name) => name.startsWith(DATABASE_FILE));
  if (taken !== undefined) {
    throw new OperatorError(
      `${dataFolder} already holds a catalog (${taken}): set STAVE_DATA to a new folder, or move the existing one away`,
    );
  }
}

async function copyChecked(files: MediaStore, key: string, to: string): Promise<void> {
  try {
    const { sha256 } = await copyStream(() => files.read(key), to);
    if (!key.startsWith(`${sha256}.`)) throw damaged(key, 'does not match its checksum');
  } catch (error) {
    throw isMissing(error) ? damaged(key, 'is missing') : error;
  }
}

function damaged(key: string, what: string): OperatorError {
  return new OperatorError(`the backup is damaged: ${key} ${what}`);
}

/** @param media the paths in both folders */
async function moveIntoPlace(
  aside: string,
  dataFolder: string,
  media: readonly string[],
): Promise<void> {
  for (const path of media) {
    await mkdir(dirname(join(dataFolder, path)), { recursive: true, mode: 0o700 });
    await rename(join(aside, path), join(dataFolder, path));
  }
  const folders = new Set(media.map((path) => dirname(join(dataFolder, path))));
  for (const folder of folders) {
    await fsyncPath(folder);
  }
  await rename(join(aside, DATABASE_FILE), join(dataFolder, DATABASE_FILE));
  await fsyncPath(dataFolder);
}
