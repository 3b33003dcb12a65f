import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { Config } from './config.ts';
import { DATABASE_FILE, MEDIA_FOLDER } from './data-folder.ts';
import type { Actor } from './kernel/actor.ts';
import type { Clock } from './kernel/clock.ts';
import type { Log } from './kernel/log.ts';
import type { MediaStore } from './media/media-store.ts';
import { openDiskMediaStore } from './storage/disk/media-store.ts';
import { openSqliteStore } from './storage/sqlite/open.ts';
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
  const store = await openSqliteStore({ path: join(config.dataFolder, DATABASE_FILE), clock });
  try {
    const media = await openDiskMediaStore({ folder: join(config.dataFolder, MEDIA_FOLDER) });
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

/** The user's name, or its number where the system has no name for it (as in many containers). */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
