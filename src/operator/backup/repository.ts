import { hash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Keep } from '../../app/config/backup-schedule.ts';
import { type MediaPlace, openMediaStore } from '../../app/open/context.ts';
import type { Clock } from '../../common/clock.ts';
import { OperatorError, StaveError } from '../../common/errors.ts';
import { unlessMissing } from '../../common/files.ts';
import type { Log } from '../../common/log.ts';
import type { MediaStore } from '../../engines/blobs/media-store.ts';
import { toKeep } from './keep.ts';
import { type Manifest, parseManifest, parseMediaList, type StoredFile } from './manifest.ts';

/** The manifests that are read at the same time. */
const READ_AT_ONCE = 32;

/** The folder of the manifests, which makes a folder a repository. */
const MANIFESTS = 'backups';

/**
 * The backups of one catalog, in a folder or a bucket. All files have the hash of their content as their name, are stored
 * once, whole or not at all, and are never overwritten. The manifest of a backup comes last. Therefore nothing that ends
 * early can harm an earlier backup.
 */
export interface Repository {
  /** For the operator. */
  place: string;
  manifests: MediaStore;
  /** Copies of databases, and lists of media. */
  databases: MediaStore;
  media: MediaStore;
}

export interface Backup {
  manifest: Manifest;
  /** Of the manifest. */
  key: string;
  /** Milliseconds since the epoch. */
  at: number;
}

/** A backup whose manifest cannot be read. */
interface Unreadable {
  key: string;
  problem: string;
}

/** Creates the folders that are missing, unless the repository is only read. */
export async function openRepository(
  place: MediaPlace,
  deps: { clock: Clock; log: Log; readOnly?: boolean },
): Promise<Repository> {
  const open = (name: string) => openMediaStore(below(place, name), deps);
  const manifests = await open(MANIFESTS);
  const repository = {
    place: manifests.place.slice(0, -MANIFESTS.length - 1),
    manifests,
    databases: await open('databases'),
    media: await open('media'),
  };
  // A bucket gives its reason here. Later, this is the cause of another error.
  if ('bucket' in place) await manifests.check();
  return repository;
}

export function below(place: MediaPlace, name: string): MediaPlace {
  return 'folder' in place
    ? { folder: join(place.folder, name) }
    : { bucket: place.bucket, prefix: [place.prefix, name].filter(Boolean).join('/') };
}

/** Opens a repository for reading; it may be on a read-only disk. Throws OperatorError if a folder is no repository. */
export async function openExisting(
  place: MediaPlace,
  deps: { clock: Clock; log: Log },
): Promise<Repository> {
  if ('folder' in place && !(await isRepository(place.folder))) {
    throw new OperatorError(
      `${place.folder} has no backups: name a folder that \`stave backup\` has made`,
    );
  }
  return openRepository(place, { ...deps, readOnly: true });
}

export async function isRepository(folder: string): Promise<boolean> {
  return (await unlessMissing(readdir(join(folder, MANIFESTS)).catch(notFolder))) !== undefined;
}

function notFolder(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOTDIR') throw error;
  return undefined;
}

/** Returns the backups, the newest first, and those that cannot be read. */
export async function readBackups({
  manifests,
}: Repository): Promise<{ backups: Backup[]; unreadable: Unreadable[] }> {
  const backups: Backup[] = [];
  const unreadable: Unreadable[] = [];
  const readOne = async (key: string) => {
    const manifest = await readManifest(manifests, key);
    if (typeof manifest === 'string') unreadable.push({ key, problem: manifest });
    else backups.push({ manifest, key, at: Date.parse(manifest.createdAt) });
  };
  const keys: string[] = [];
  for await (const key of manifests.keys()) keys.push(key);
  while (keys.length > 0) await Promise.all(keys.splice(0, READ_AT_ONCE).map(readOne));
  return { backups: backups.sort((a, b) => b.at - a.at), unreadable };
}

async function readManifest(manifests: MediaStore, key: string): Promise<Manifest | string> {
  const bytes = await readWhole(manifests, key);
  return bytes === undefined ? 'it is damaged' : parseManifest(bytes);
}

/** Returns the media of a backup; undefined if their list is missing or damaged. */
export async function mediaOf(
  { databases }: Repository,
  { mediaList }: Manifest,
): Promise<StoredFile[] | undefined> {
  const bytes = await readWhole(databases, mediaList.key);
  return bytes && parseMediaList(bytes);
}

/** Reads a small file; undefined if it is missing, or its content is not that of its name. */
export async function readWhole(files: MediaStore, key: string): Promise<Buffer | undefined> {
  try {
    const bytes = Buffer.concat(await (await files.read(key)).toArray());
    return key.startsWith(`${hash('sha256', bytes)}.`) ? bytes : undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof StaveError && error.kind === 'not_found';
}

/**
 * Returns the newest backup whose time begins with the given text, or the newest one of all. Throws OperatorError if there is
 * none, or if one that cannot be read might be the newest.
 */
export async function chooseBackup(repository: Repository, time?: string): Promise<Backup> {
  const { backups, unreadable } = await readBackups(repository);
  if (time === undefined && unreadable.length > 0) {
    const [{ key, problem }] = unreadable as [Unreadable];
    throw new OperatorError(
      `a backup in ${repository.place} cannot be read (${key}: ${problem}): name another one with --backup, as \`stave backup list\` shows them`,
    );
  }
  const backup = backups.find(({ manifest }) => manifest.createdAt.startsWith(time ?? ''));
  if (backup !== undefined) return backup;
  if (backups.length === 0) throw noFinishedBackup(repository);
  throw new OperatorError(
    `${repository.place} has no backup of ${time}: \`stave backup list\` shows the times`,
  );
}

export function noFinishedBackup({ place }: Repository): OperatorError {
  return new OperatorError(`${place} has no finished backup`);
}

/**
 * Removes all backups but those to keep, and then the files that no backup names. Returns the times of the removed backups.
 * The backup that was just made is kept in any case: after the clock was set back, older ones have later times.
 * Throws OperatorError, and removes nothing, if a backup cannot be read, because its files are not known.
 *
 * @param ensureAlone called before each removal; throws if another backup may have begun
 */
export async function prune(
  repository: Repository,
  { keep, madeKey, ensureAlone }: { keep: Keep; madeKey: string; ensureAlone(): Promise<void> },
): Promise<string[]> {
  const { backups, unreadable } = await readBackups(repository);
  const kept = toKeep(backups, keep);
  for (const backup of backups) if (backup.key === madeKey) kept.add(backup);
  const databases = new Set<string>();
  const media = new Set<string>();
  for (const { manifest } of kept) {
    const files = await mediaOf(repository, manifest);
    if (files === undefined) unreadable.push({ key: manifest.mediaList.key, problem: 'damaged' });
    databases.add(manifest.database.key).add(manifest.mediaList.key);
    for (const { key } of files ?? []) media.add(key);
  }
  if (unreadable.length > 0) {
    throw new OperatorError(
      `the backup is made, but no older one was removed, because one cannot be read: see \`stave backup verify ${repository.place}\``,
    );
  }
  const removed = backups.filter((backup) => !kept.has(backup));
  const remove = async (files: MediaStore, key: string) => {
    await ensureAlone();
    await files.remove(key);
  };
  for (const { key } of removed) await remove(repository.manifests, key);
  for (const [files, named] of [
    [repository.databases, databases],
    [repository.media, media],
  ] as const) {
    for await (const key of files.keys()) {
      if (!named.has(key)) await remove(files, key);
    }
  }
  return removed.map(({ manifest }) => manifest.createdAt);
}
