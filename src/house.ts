import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { Config } from './config.ts';
import { MEDIA_FOLDER } from './data-folder.ts';
import type { Actor } from './kernel/actor.ts';
import type { Clock } from './kernel/clock.ts';
import type { Log } from './kernel/log.ts';
import type { MediaStore } from './media/media-store.ts';
import { locationOf, openStore } from './open-store.ts';
import { openDiskMediaStore } from './storage/disk/media-store.ts';
import type { Store } from './storage/store.ts';

/** The catalog, opened: what every command works with, beside a running service or without one. */
export interface House {
  config: Config;
  clock: Clock;
  log: Log;
  store: Store;
  media: MediaStore;
  /** Who the changes of this process are by. */
  by: Actor;
  close(): Promise<void>;
}

/**
 * Opens the system of record and the media store that the configuration names, making them where
 * they are missing; nothing of HTTP is loaded for it. Throws OperatorError with one line where that
 * cannot be.
 */
export async function openHouse(deps: { config: Config; clock: Clock; log: Log }): Promise<House> {
  const { config, clock, log } = deps;
  const store = await openStore(locationOf(config), { clock, log });
  try {
    const media = await openMediaStore(mediaPlaceOf(config), { clock, log });
    return {
      config,
      clock,
      log,
      store,
      media,
      by: `cli:${userName()}`,
      close: () => store.close(),
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Where audio and artwork lie: a folder, by its absolute path, or a bucket. */
export type MediaPlace = { folder: string } | { bucket: string; prefix: string };

/** Where the configuration puts audio and artwork. */
export function mediaPlaceOf({ dataFolder, media }: Config): MediaPlace {
  return media ?? { folder: join(dataFolder, MEDIA_FOLDER) };
}

/**
 * Opens a media store. A folder is made where it is missing; a bucket is not asked for anything yet,
 * and its SDK is not loaded by those who have none.
 */
export async function openMediaStore(
  place: MediaPlace,
  { clock, log }: { clock: Clock; log: Log },
): Promise<MediaStore> {
  if ('folder' in place) {
    return openDiskMediaStore({ folder: place.folder });
  }
  const { openS3MediaStore } = await import('./storage/s3/media-store.ts');
  return openS3MediaStore({ bucket: place.bucket, prefix: place.prefix, clock, log });
}

/** The user's name, or its number where the system has no name for it (as in many containers). */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
