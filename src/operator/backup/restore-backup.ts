import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AppContext } from '../../app/open/context.ts';
import { DATABASE_FILE } from '../../app/open/data-folder.ts';
import { lockDataFolder } from '../../app/open/data-folder-lock.ts';
import type { Clock } from '../../common/clock.ts';
import { OperatorError } from '../../common/errors.ts';
import { fsyncPath, makePrivateFolder } from '../../common/files.ts';
import { renewLogEpoch } from '../../engines/change-log/positions.ts';
import { holderOf } from '../../engines/sql/sqlite/folder-lock.ts';
import { copyStream, isDiskFull, namingOriginal } from './copy.ts';
import { type Manifest, type ManifestFile, readManifest } from './manifest.ts';

/** The prefix of the folders that a restore copies to first. */
const ASIDE = '.restore-';

/**
 * Restores a backup as a data folder that has no database yet. Copies every file to a temporary
 * folder, checks it against the manifest, then checks the database as a whole, and gives its change
 * log a new epoch. Only then locks the folder and moves the files to their places, the database last. An
 * interrupted restore thus leaves a folder without a database, and can be repeated. Throws OperatorError,
 * without having changed the catalog, if the backup is unfinished or damaged, or if the data folder has a
 * catalog or a service.
 */
export async function restoreBackup(
  folder: string,
  dataFolder: string,
  { clock, openCopy }: { clock: Clock; openCopy: (dataFolder: string) => Promise<AppContext> },
): Promise<Manifest> {
  const manifest = await readManifest(folder);
  await refuseTaken(dataFolder);
  await makePrivateFolder(dataFolder);
  const aside = await mkdtemp(join(dataFolder, ASIDE));
  const self = { command: 'stave restore' };
  try {
    // The lock keeps other restores from removing the folder as that of a killed one.
    using _aside = await lockDataFolder(aside, clock, self);
    for (const file of manifest.files) {
      await copyChecked(folder, aside, file);
    }
    const copy = await openCopy(aside);
    try {
      await copy.store.check(true);
      await renewLogEpoch(copy.store.settings);
    } finally {
      await copy.close();
    }
    using _lock = await lockDataFolder(dataFolder, clock, self);
    await refuseTaken(dataFolder);
    await moveIntoPlace(aside, dataFolder, manifest.files);
  } catch (error) {
    throw isDiskFull(error)
      ? new OperatorError(`no space is left to restore into ${dataFolder}; nothing was put there`, {
          cause: error,
        })
      : namingOriginal(error, aside, folder);
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
  await removeAbandoned(dataFolder);
  return manifest;
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

async function copyChecked(from: string, to: string, file: ManifestFile): Promise<void> {
  const source = join(from, file.path);
  const copied = await copyStream(() => createReadStream(source), join(to, file.path)).catch(
    (error) => {
      if (error.code === 'ENOENT' && error.path === source) {
        throw new OperatorError(`the backup is damaged: ${file.path} is missing`);
      }
      throw error;
    },
  );
  if (copied.sha256 !== file.sha256 || copied.sizeBytes !== file.sizeBytes) {
    throw new OperatorError(`the backup is damaged: ${file.path} does not match its checksum`);
  }
}

async function moveIntoPlace(
  aside: string,
  dataFolder: string,
  files: readonly ManifestFile[],
): Promise<void> {
  const media = files.filter(({ path }) => path !== DATABASE_FILE);
  for (const { path } of media) {
    await mkdir(dirname(join(dataFolder, path)), { recursive: true, mode: 0o700 });
    await rename(join(aside, path), join(dataFolder, path));
  }
  const folders = new Set(media.map(({ path }) => dirname(join(dataFolder, path))));
  for (const folder of folders) {
    await fsyncPath(folder);
  }
  await rename(join(aside, DATABASE_FILE), join(dataFolder, DATABASE_FILE));
  await fsyncPath(dataFolder);
}
