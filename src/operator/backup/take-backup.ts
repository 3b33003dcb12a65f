import { hash } from 'node:crypto';
import { mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import type { Keep } from '../../app/config/backup-schedule.ts';
import { noteBackup } from '../../app/last-backup.ts';
import { type AppContext, type MediaPlace, openMediaStore } from '../../app/open/context.ts';
import { DATABASE_FILE, MEDIA_FOLDER } from '../../app/open/data-folder.ts';
import { thisHost } from '../../app/open/second-host.ts';
import { OperatorError } from '../../common/errors.ts';
import { makePrivateFolder } from '../../common/files.ts';
import { newId } from '../../common/ids.ts';
import { SERVICE_VERSION } from '../../common/version.ts';
import { CATALOG_ID } from '../../engines/sql/setting-store.ts';
import { LOCK_FILES, type LockHolder, lockFolder } from '../../engines/sql/sqlite/folder-lock.ts';
import { refuseNewer } from '../migrate-store.ts';
import { BucketLock } from './bucket-lock.ts';
import {
  type CopiedMedia,
  copyMediaStore,
  isDiskFull,
  isReadOnly,
  namingOriginal,
} from './copy.ts';
import { FORMAT_VERSION, type Manifest, type StoredFile, writeMediaList } from './manifest.ts';
import {
  below,
  isRepository,
  openRepository,
  prune,
  type Repository,
  readBackups,
} from './repository.ts';

interface BackupOptions {
  /** Opens a folder with a copied database in SQLite, or an empty one. */
  openCopy(dataFolder: string): Promise<AppContext>;
  /** Which older backups are kept; by default all of them. */
  keep?: Keep | undefined;
  /** Called before it waits, for two minutes at the most. */
  onWait?(message: string): void;
}

export interface Taken {
  manifest: Manifest;
  /** The media that the repository lacked before. */
  copied: Pick<CopiedMedia, 'copied' | 'sizeBytes'>;
  /** The times of the backups that were removed. */
  removed: string[];
}

/**
 * Adds a backup of the whole catalog to a repository: the database at one moment, with its keys, and the media that this copy
 * names and the repository lacks. Media in a bucket are not copied; the manifest names the bucket. The service and imports
 * continue meanwhile: media are never overwritten, so the backup shows the moment of the database. The whole copy of the
 * database is read to prove that it can be restored.
 *
 * Throws OperatorError if the database is damaged, the folder is used for something else or another catalog, another backup
 * runs, or one of the two folders is within the other, because the loss of one disk would destroy both. Earlier backups stay
 * as they are.
 */
export async function takeBackup(
  context: AppContext,
  place: MediaPlace,
  options: BackupOptions,
): Promise<Taken> {
  const { config } = context;
  const folder = 'folder' in place ? place.folder : config.dataFolder;
  try {
    if ('folder' in place) await takeFolder(place.folder, config.dataFolder);
    // A node on PostgreSQL may have none.
    else await makePrivateFolder(config.dataFolder);
    return await whileAlone(context, place, options.onWait, async (ensureAlone) => {
      const repository = await openRepository(place, context);
      // Several backups to buckets may run, which all use the data folder.
      const prefix = join(folder, `.backup-${hash('sha256', repository.place).slice(0, 8)}-`);
      await removeAbandoned(prefix);
      const aside = await mkdtemp(prefix);
      try {
        return await addBackup(context, repository, aside, { ...options, ensureAlone });
      } catch (error) {
        throw namingOriginal(error, aside, config.dataFolder);
      } finally {
        await rm(aside, { recursive: true, force: true });
      }
    });
  } catch (error) {
    if (isReadOnly(error)) {
      throw new OperatorError(
        `${folder} is read-only for this process. In a unit of systemd, make the folder, name it in ReadWritePaths= (\`systemctl edit stave\`), and restart the service`,
        { cause: error },
      );
    }
    throw isDiskFull(error)
      ? new OperatorError(
          `no space is left for a backup in ${folder}; earlier backups are as they were`,
          { cause: error },
        )
      : error;
  }
}

/**
 * Does something while no other backup to the same place runs, also none of another catalog that was restored from the same
 * one. A folder is locked by the kernel, whatever its name. The lock of a bucket may be lost: `ensureAlone` throws then.
 */
async function whileAlone<T>(
  context: AppContext,
  place: MediaPlace,
  onWait: BackupOptions['onWait'],
  work: (ensureAlone: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const { clock } = context;
  const since = new Date(clock.now()).toISOString();
  const holder = { command: 'stave backup', ...(await thisHost()), pid: process.pid, since };
  if ('folder' in place) {
    const locked = await lockFolder(place.folder, holder);
    if (!('lock' in locked)) throw anotherRuns(place.folder, locked.heldBy);
    using _lock = locked.lock;
    return await work(async () => {});
  }
  const signs = await openMediaStore(below(place, 'running'), context);
  await signs.check();
  const shown = dirname(signs.place);
  const locked = await BucketLock.take({
    ...{ signs, holder, clock },
    onWait: (other) =>
      onWait?.(
        `another backup to ${shown}${named(other)} runs, or was killed less than two minutes ago: waiting to see which`,
      ),
  });
  if (!('lock' in locked)) throw anotherRuns(shown, locked.heldBy);
  await using lock = locked.lock;
  return await work(() => lock.ensure());
}

function anotherRuns(place: string, holder: LockHolder | undefined): OperatorError {
  return new OperatorError(
    `another backup to ${place}${named(holder)} runs: wait until it has ended`,
  );
}

function named(holder: LockHolder | undefined): string {
  return holder === undefined
    ? ''
    : ` (process ${holder.pid} on ${holder.host}, since ${holder.since})`;
}

/** @param aside an empty folder, to which the database is copied first */
async function addBackup(
  context: AppContext,
  repository: Repository,
  aside: string,
  { openCopy, keep, ensureAlone }: BackupOptions & { ensureAlone(): Promise<void> },
): Promise<Taken> {
  const { store, clock, config } = context;
  const catalogId = await catalogIdOf(context);
  await refuseOtherCatalog(repository, catalogId);
  const at = clock.now();
  await copyDatabase(context, aside, openCopy);
  const copy = await openCopy(aside);
  let added: Awaited<ReturnType<typeof addMedia>>;
  try {
    // A copy of a damaged database is damaged, too. Report this now rather than at the restore.
    await copy.store.check(true);
    added = await addMedia(context, copy, repository);
  } finally {
    await copy.close();
  }
  const { counts, files, lostMedia, copied } = added;
  const manifest: Manifest = {
    format: 'stave-backup',
    formatVersion: FORMAT_VERSION,
    staveVersion: SERVICE_VERSION,
    catalogId,
    createdAt: new Date(at).toISOString(),
    counts,
    ...(config.media !== null && { mediaPlace: context.media.place }),
    lostMedia,
    database: await repository.databases.putFile(join(aside, DATABASE_FILE), 'db'),
    mediaList: await repository.databases.putBytes(writeMediaList(files), 'txt'),
    mediaBytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  };
  const bytes = Buffer.from(JSON.stringify(manifest));
  await ensureAlone();
  const { key } = await repository.manifests.putBytes(bytes, 'json');
  await noteBackup(store, { at, place: repository.place });
  const removed =
    keep === undefined ? [] : await prune(repository, { keep, madeKey: key, ensureAlone });
  return { manifest, copied, removed };
}

/** A database on a server becomes a SQLite file, as by `stave migrate-store`. */
async function copyDatabase(
  { store }: AppContext,
  aside: string,
  openCopy: BackupOptions['openCopy'],
): Promise<void> {
  if (store.backup !== undefined) return store.backup(join(aside, DATABASE_FILE));
  await refuseNewer(store.tables);
  const target = await openCopy(aside);
  try {
    await store.tables.copyTo(target.store.tables);
  } finally {
    await target.close();
  }
}

async function catalogIdOf({ store: { settings } }: AppContext): Promise<string> {
  return (await settings.get(CATALOG_ID)) ?? (await settings.add(CATALOG_ID, newId()));
}

/** Otherwise the backups of one catalog would be removed in favor of those of another one. */
async function refuseOtherCatalog(repository: Repository, catalogId: string): Promise<void> {
  const { backups } = await readBackups(repository);
  if (backups.every(({ manifest }) => manifest.catalogId === catalogId)) return;
  throw new OperatorError(
    `${repository.place} has backups of another catalog: name another place for this one`,
  );
}

async function addMedia(context: AppContext, copy: AppContext, repository: Repository) {
  const files: StoredFile[] = [];
  const lostMedia: string[] = [];
  const keys = context.config.media === null ? namedMedia(copy) : nothing();
  const copied = await copyMediaStore(
    context.media,
    repository.media,
    {
      onStored: (key, sizeBytes) => files.push({ key, sizeBytes }),
      onDamaged: (key) => lostMedia.push(key),
      onMissing: (key) => lostMedia.push(key),
    },
    keys,
  );
  const clients = (await copy.store.clients.all()).length;
  const counts = { ...(await copy.store.catalog.counts()), clients, media: files.length };
  return { counts, files, lostMedia, copied };
}

/** Each key once. */
async function* namedMedia({ store }: AppContext): AsyncGenerator<string> {
  const seen = new Set<string>();
  for await (const slice of store.catalog.mediaKeys()) {
    for (const key of slice) {
      if (seen.has(key)) continue;
      seen.add(key);
      yield key;
    }
  }
}

async function* nothing(): AsyncGenerator<string> {}

/**
 * Creates the folder if it is missing. Throws OperatorError if it contains something else, or is
 * within the data folder or around it.
 */
async function takeFolder(folder: string, dataFolder: string): Promise<void> {
  await refuseOwnFolders(folder, dataFolder);
  await makePrivateFolder(folder);
  const locks: readonly string[] = Object.values(LOCK_FILES);
  const others = (await readdir(folder)).filter((name) => !locks.includes(name));
  if (others.length > 0 && !(await isRepository(folder))) {
    throw new OperatorError(
      `${folder} is not empty and has no backups: name a new folder, or one with backups`,
    );
  }
}

async function refuseOwnFolders(folder: string, dataFolder: string): Promise<void> {
  const target = await realPlace(folder);
  for (const own of [dataFolder, join(dataFolder, MEDIA_FOLDER)]) {
    const place = await realPlace(own);
    if (isWithin(target, place) || isWithin(place, target)) {
      throw new OperatorError(
        `${folder} and the data folder ${dataFolder} lie in one another: name a folder elsewhere for the backup`,
      );
    }
  }
}

/** Returns where a path leads, with links resolved as far as the path exists. */
async function realPlace(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const parent = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path) throw error;
    return join(await realPlace(parent), relative(parent, path));
  }
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`));
}

/** Removes the copies of killed backups to the same place. */
async function removeAbandoned(prefix: string): Promise<void> {
  const folder = dirname(prefix);
  const names = await readdir(folder);
  for (const name of names.filter((one) => one.startsWith(basename(prefix)))) {
    await rm(join(folder, name), { recursive: true, force: true });
  }
}
