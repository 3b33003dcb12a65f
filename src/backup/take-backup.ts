import { readdir, rm } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { DATABASE_FILE, MEDIA_FOLDER } from '../data-folder.ts';
import type { House } from '../house.ts';
import { StaveError } from '../kernel/errors.ts';
import { fsyncPath } from '../kernel/fsync.ts';
import { OperatorError } from '../kernel/operator-error.ts';
import { makePrivateFolder } from '../kernel/private-folder.ts';
import { SERVICE_VERSION } from '../kernel/version.ts';
import { mediaPath } from '../media/media-store.ts';
import { copyStream, digestFile } from './copy.ts';
import { isDiskFull, toldOfOriginal } from './faults.ts';
import { FORMAT_VERSION, type Manifest, type ManifestFile, writeManifest } from './manifest.ts';

/**
 * Copies the whole house into a new folder: the database as it is at one moment, keys included,
 * then all media that this copy names, unless it lies in a bucket, which the manifest then names.
 * Everything else goes on meanwhile: media is never overwritten, so the moment of the database is
 * the moment of the backup. `openCopy` opens a folder
 * as a house. The copy is read whole to prove that it can be restored. On a failure nothing is left
 * behind. Throws OperatorError where the database is damaged.
 */
export async function takeBackup(
  house: House,
  folder: string,
  openCopy: (dataFolder: string) => Promise<House>,
): Promise<Manifest> {
  const made = await emptyFolder(folder);
  try {
    await house.store.backup(join(folder, DATABASE_FILE));
    const copy = await openCopy(folder);
    let copied: Awaited<ReturnType<typeof copyMedia>>;
    try {
      // A copy of a damaged database is as damaged: better known today than when it is needed.
      await copy.store.check(true);
      copied = await copyMedia(house, copy, folder);
    } finally {
      await copy.close();
    }
    const { counts, files, lostMedia } = copied;
    const isElsewhere = house.config.media !== null;
    const database = await digestFile(join(folder, DATABASE_FILE));
    const manifest: Manifest = {
      format: 'stave-backup',
      formatVersion: FORMAT_VERSION,
      staveVersion: SERVICE_VERSION,
      createdAt: new Date(house.clock.now()).toISOString(),
      counts,
      ...(isElsewhere && { mediaPlace: house.media.place }),
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
      : toldOfOriginal(error, folder, house.config.dataFolder);
  }
}

/** Makes the folder; whether it had to. Throws OperatorError where something is in it. */
async function emptyFolder(folder: string): Promise<boolean> {
  const made = await makePrivateFolder(folder);
  if ((await readdir(folder)).length > 0) {
    throw new OperatorError(`${folder} is not empty: name a new folder for the backup`);
  }
  return made;
}

async function copyMedia(
  house: House,
  copy: House,
  folder: string,
): Promise<Pick<Manifest, 'counts' | 'files' | 'lostMedia'>> {
  const files = new Map<string, ManifestFile>();
  const lost = new Set<string>();
  const slices = house.config.media === null ? copy.store.catalog.mediaKeys() : [];
  for await (const slice of slices) {
    for (const key of slice) {
      if (files.has(key) || lost.has(key)) {
        continue;
      }
      const file = await copyOne(house, folder, key);
      if (file === undefined) {
        lost.add(key);
      } else {
        files.set(key, file);
      }
    }
  }
  const clients = (await copy.store.clients.all()).length;
  const counts = { ...(await copy.store.catalog.counts()), clients, media: files.size };
  return { counts, files: [...files.values()], lostMedia: [...lost] };
}

/** Copies one file of media, proving its content by its name; undefined where it is missing or damaged. */
async function copyOne(
  house: House,
  folder: string,
  key: string,
): Promise<ManifestFile | undefined> {
  const path = posix.join(MEDIA_FOLDER, mediaPath(key));
  const to = join(folder, path);
  try {
    const copied = await copyStream(() => house.media.read(key), to);
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
  if (made) {
    await rm(folder, { recursive: true, force: true });
  }
}
