import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { Actor } from '../../common/caller.ts';
import type { Clock } from '../../common/clock.ts';
import type { Log } from '../../common/log.ts';
import type { WaitPolicy } from '../../common/work/wait-policy.ts';
import { openDiskMediaStore } from '../../engines/blobs/disk/media-store.ts';
import type { MediaStore } from '../../engines/blobs/media-store.ts';
import type { Store } from '../../features/store.ts';
import type { Config } from '../config/config.ts';
import { MEDIA_FOLDER } from './data-folder.ts';
import { locationOf, openStore } from './open-store.ts';

/** The opened catalog and the configuration, for every command and the service. */
export interface AppContext {
  config: Config;
  clock: Clock;
  log: Log;
  store: Store;
  media: MediaStore;
  /** The actor of the changes that this process makes. */
  by: Actor;
  close(): Promise<void>;
}

/**
 * Opens the system of record and the media store of the configuration, and creates what is missing. Loads no module of the
 * HTTP server. Throws OperatorError if they cannot be opened. Without a `waitPolicy`, work does not wait for the database.
 */
export async function openAppContext(deps: {
  config: Config;
  clock: Clock;
  log: Log;
  waitPolicy?: WaitPolicy | undefined;
  mayBlock?: boolean;
}): Promise<AppContext> {
  const { config, clock, log, waitPolicy, mayBlock } = deps;
  const store = await openStore(locationOf(config), { clock, log, waitPolicy, mayBlock });
  try {
    const media = await openMediaStore(mediaPlaceOf(config), { clock, log });
    return {
      config,
      clock,
      log,
      store,
      media,
      by: `cli:${config.sudoUser ?? userName()}`,
      close: () => store.close(),
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** The folder is an absolute path. */
export type MediaPlace = { folder: string } | { bucket: string; prefix: string };

export function mediaPlaceOf({ dataFolder, media }: Config): MediaPlace {
  return media ?? { folder: join(dataFolder, MEDIA_FOLDER) };
}

/** Creates a missing folder, unless it is only read. Sends no request to a bucket yet, and loads the SDK only for a bucket. */
export async function openMediaStore(
  place: MediaPlace,
  { clock, log, readOnly = false }: { clock: Clock; log: Log; readOnly?: boolean },
): Promise<MediaStore> {
  if ('folder' in place) return openDiskMediaStore({ folder: place.folder, readOnly });
  const { S3MediaStore } = await import('../../engines/blobs/s3/media-store.ts');
  return new S3MediaStore({ bucket: place.bucket, prefix: place.prefix, clock, log });
}

/** Returns the user id if the system has no name for it, as in many containers. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
