import { existsSync } from 'node:fs';
import { opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../app/config/config.ts';
import { failureSince, lastBackup } from '../../app/last-backup.ts';
import type { AppContext } from '../../app/open/context.ts';
import {
  DATABASE_FILE,
  DOCUMENTS_FILE,
  MEDIA_FOLDER,
  SNAPSHOT_FILE,
  VECTORS_FILE,
} from '../../app/open/data-folder.ts';
import { HOUR_MS } from '../../common/clock.ts';
import { counted, shownBytes } from '../../common/text/shown.ts';
import type { SchemaInspection } from '../../engines/sql/schema.ts';
import { type Found, ok, warning } from './finding.ts';

/** In the order of the finding. */
const PARTS = ['database', 'WAL', 'media', 'index and documents', 'backups', 'other'] as const;
type Part = (typeof PARTS)[number];

/** Less is used again before it is worth a stop of the service. */
const MUCH_UNUSED_BYTES = 100_000_000;

/** The files that are examined at the same time. */
const AT_ONCE = 64;

/**
 * Adds up the disk space of the data folder by part. The database knows the size of the previews, which are among the
 * media; a server knows the size of its database.
 */
export async function checkDiskUse(
  { dataFolder }: Config,
  { schema, context }: { schema?: SchemaInspection; context?: AppContext } = {},
): Promise<Found> {
  const bytes = new Map<Part, number>(PARTS.map((part) => [part, 0]));
  const entries = await opendir(dataFolder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  for await (const entry of entries) {
    const path = join(dataFolder, entry.name);
    const part = partOf(path, entry.name);
    const size = entry.isDirectory() ? await sizeBelow(path) : await sizeOf(path);
    bytes.set(part, bytes.get(part)! + size);
  }
  const previews = (await context?.store.renditions.bytes()) ?? 0;
  const isServer = schema?.isServer === true;
  if (isServer) {
    // A file from before the store was moved is no part of the database.
    bytes.set('other', bytes.get('other')! + bytes.get('database')!);
    bytes.set('database', schema.databaseBytes);
  }
  const shown = PARTS.filter((part) => bytes.get(part)! > 0).map((part) => {
    const size = shownBytes(bytes.get(part)!);
    if (part === 'database' && isServer) return `database ${size} (on its server)`;
    return part === 'media' && previews > 0
      ? `media ${size} (previews ${shownBytes(previews)})`
      : `${part} ${size}`;
  });
  const { unusedBytes = 0, databaseBytes = 0 } = schema ?? {};
  const isMuch = unusedBytes > Math.max(MUCH_UNUSED_BYTES, databaseBytes / 4);
  return {
    ...(isMuch
      ? warning(
          `${shown.join(', ')}; ${shownBytes(unusedBytes)} of the database are free, which it does not give back to the disk`,
          'stop the service and run `stave compact` once',
        )
      : ok(shown.join(', ') || 'nothing yet')),
    bytes: { ...Object.fromEntries(bytes), previews },
  };
}

/** Checks whether there is something to stream. */
export async function checkAudio({ store }: AppContext): Promise<Found> {
  const { live } = await store.catalog.counts();
  if (live === 0) return ok('no tracks yet');
  return (await store.renditions.hasAudio())
    ? ok('tracks have audio')
    : warning(
        'no track has audio: partners get no streams, and nothing makes previews',
        'import files with a member `audio`, or a folder of audio files (docs/import.md)',
      );
}

/** The age of a backup that is made every day, with room for a late one. */
const OLD_BACKUP_MS = 36 * HOUR_MS;
/** Clocks of nodes differ. */
const MAX_SKEW_MS = 5 * 60_000;

/** Checks when `stave backup` made the last backup, wherever it is. */
export async function checkBackup({ store, clock }: AppContext): Promise<Found> {
  const { live } = await store.catalog.counts();
  const last = await lastBackup(store);
  const failure = await failureSince(store, last);
  if (failure !== undefined) {
    return warning(
      `the one of STAVE_BACKUP_SCHEDULE to ${failure.place} failed at ${new Date(failure.at).toISOString()}`,
      failure.reason.replace(/^stave: /, '') || 'its process was ended: see the log of the service',
    );
  }
  if (last === undefined) {
    return live === 0
      ? ok('no tracks yet')
      : warning(
          '`stave backup` has made none',
          'set STAVE_BACKUP_SCHEDULE, or use the timer in deploy/, unless another tool makes backups (docs/operations.md)',
        );
  }
  const shown = `the last one is of ${new Date(last.at).toISOString()}, in ${last.place}`;
  const ageMs = clock.now() - last.at;
  if (ageMs < -MAX_SKEW_MS) {
    return warning(`${shown}, in the future`, 'set the clock of this machine, and make a backup');
  }
  return ageMs > OLD_BACKUP_MS
    ? warning(
        shown,
        'see why no newer one was made: the log of the service or of the timer says so',
      )
    : ok(shown);
}

function partOf(path: string, name: string): Part {
  if (name === DATABASE_FILE) return 'database';
  if (name.startsWith(`${DATABASE_FILE}-`)) return 'WAL';
  if (name === MEDIA_FOLDER) return 'media';
  if ([SNAPSHOT_FILE, DOCUMENTS_FILE, VECTORS_FILE].some((file) => name.startsWith(file))) {
    return 'index and documents';
  }
  return existsSync(join(path, 'backups')) ? 'backups' : 'other';
}

async function sizeBelow(folder: string): Promise<number> {
  let bytes = 0;
  let files: string[] = [];
  const addAll = async () => {
    for (const size of await Promise.all(files.map(sizeOf))) bytes += size;
    files = [];
  };
  for await (const entry of await opendir(folder, { recursive: true })) {
    if (!entry.isFile()) continue;
    files.push(join(entry.parentPath, entry.name));
    if (files.length === AT_ONCE) await addAll();
  }
  await addAll();
  return bytes;
}

/** Returns the size of a file; 0 if it is removed meanwhile. */
async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

/** The number of webhooks that a warning names. */
const NAMED_WEBHOOKS = 5;

/** Checks whether the endpoints of partners accept their messages. */
export async function checkWebhooks({ store }: AppContext): Promise<Found> {
  const all = await store.webhooks.records();
  const failing = all.filter(({ isFailing }) => isFailing);
  if (failing.length === 0) return ok(`${counted(all.length, 'webhook')}, none failing`);
  const named = failing.slice(0, NAMED_WEBHOOKS).map(({ id, clientId, enabled }) => {
    return `${id} of client ${clientId}${enabled ? '' : ' (disabled)'}`;
  });
  const rest = failing.length - named.length;
  return warning(
    `${failing.length} of ${counted(all.length, 'webhook')} failing: ${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`,
    '`stave webhooks deliveries ID` shows the messages; tell the partner, then `stave webhooks enable` and `replay`',
  );
}
