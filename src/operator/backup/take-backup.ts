import { createReadStream } from 'node:fs';
import { readdir, realpath, rm } from 'node:fs/promises';
import { dirname, join, posix, relative, sep } from 'node:path';
import type { AppContext } from '../../app/open/context.ts';
import { DATABASE_FILE, MEDIA_FOLDER } from '../../app/open/data-folder.ts';
import { OperatorError, StaveError } from '../../common/errors.ts';
import { digestOf, fsyncPath, makePrivateFolder } from '../../common/files.ts';
import { SERVICE_VERSION } from '../../common/version.ts';
import { mediaPath } from '../../engines/blobs/media-store.ts';
import { copyStream, isDiskFull, namingOriginal } from './copy.ts';
import { FORMAT_VERSION, type Manifest, type ManifestFile, writeManifest } from './manifest.ts';

/**
 * Copies the whole catalog into a new folder: the database at one moment, with its keys, then all
 * media that this copy names. Media in a bucket are not copied; the manifest names the bucket. The
 * service and imports continue meanwhile: media are never overwritten, so the backup shows the
 * moment of the database. `openCopy` opens a copied data folder; the whole copy is read to prove
 * that it can be restored. A failure leaves nothing behind. Throws OperatorError if the database is
 * damaged, or if one of the two folders is within the other, because the loss of one disk would
 * destroy both and a restore could not distinguish them.
 */
export async function takeBackup(
  context: AppContext,
  folder: string,
  openCopy: (dataFolder: string) => Promise<AppContext>,
): Promise<Manifest> {
  await refuseOwnFolders(folder, context.config.dataFolder);
  const made = await emptyFolder(folder);
  try {
    await context.store.backup(join(folder, DATABASE_FILE));
    const copy = await openCopy(folder);
    let copied: Awaited<ReturnType<typeof copyMedia>>;
    try {
      // A copy of a damaged database is damaged, too. Report this now rather than at the restore.
      await copy.store.check(true);
      copied = await copyMedia(context, copy, folder);
    } finally {
      await copy.close();
    }
    const { counts, files, lostMedia } = copied;
    const isElsewhere = context.config.media !== null;
    const database = await digestOf(createReadStream(join(folder, DATABASE_FILE)));
    const manifest: Manifest = {
      format: 'stave-backup',
      formatVersion: FORMAT_VERSION,
      staveVersion: SERVICE_VERSION,
      createdAt: new Date(context.clock.now()).toISOString(),
      counts,
      ...(isElsewhere && { mediaPlace: context.media.place }),
      lostMedia,
      files: [{ path: DATABASE_FILE, ...database }, ...files],
    };
    await writeManifest(folder, manifest);
    await fsyncPath(folder);
    return manifest;
  } catch (error) {
    await clear(folder, made);
    throw isDiskFull(error)
      ? new OperatorError(`no space is left for a backup in ${folder}; nothing of it was kept`, {
          cause: error,
        })
      : namingOriginal(error, folder, context.config.dataFolder);
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

/** Creates the folder. Returns whether it was new. Throws OperatorError if it is not empty. */
async function emptyFolder(folder: string): Promise<boolean> {
  const made = await makePrivateFolder(folder);
  if ((await readdir(folder)).length > 0) {
    throw new OperatorError(`${folder} is not empty: name a new folder for the backup`);
  }
  return made;
}

async function copyMedia(
  context: AppContext,
  copy: AppContext,
  folder: string,
): Promise<Pick<Manifest, 'counts' | 'files' | 'lostMedia'>> {
  const files = new Map<string, ManifestFile>();
  const lost = new Set<string>();
  const slices = context.config.media === null ? copy.store.catalog.mediaKeys() : [];
  for await (const slice of slices) {
    for (const key of slice) {
      if (files.has(key) || lost.has(key)) continue;
      const file = await copyOne(context, folder, key);
      if (file === undefined) lost.add(key);
      else files.set(key, file);
    }
  }
  const clients = (await copy.store.clients.all()).length;
  const counts = { ...(await copy.store.catalog.counts()), clients, media: files.size };
  return { counts, files: [...files.values()], lostMedia: [...lost] };
}

/** Copies one media file and verifies its hash; undefined if it is missing or damaged. */
async function copyOne(
  context: AppContext,
  folder: string,
  key: string,
): Promise<ManifestFile | undefined> {
  const path = posix.join(MEDIA_FOLDER, mediaPath(key));
  const to = join(folder, path);
  try {
    const copied = await copyStream(() => context.media.read(key), to);
    if (copied.sha256 !== key.split('.')[0]) {
      await rm(to, { force: true });
      return undefined;
    }
    return { path, ...copied };
  } catch (error) {
    if (isMissing(error)) {
      await rm(to, { force: true });
      return undefined;
    }
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return (
    (error instanceof StaveError && error.kind === 'not_found') ||
    (error as NodeJS.ErrnoException).code === 'ENOENT'
  );
}

async function clear(folder: string, made: boolean): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  await Promise.all(names.map((name) => rm(join(folder, name), { recursive: true, force: true })));
  if (made) await rm(folder, { recursive: true, force: true });
}
