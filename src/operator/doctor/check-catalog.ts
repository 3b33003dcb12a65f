import type { AppContext } from '../../app/open/context.ts';
import { OperatorError } from '../../common/errors.ts';
import { counted } from '../../common/text/shown.ts';
import { isExecutable } from '../../engines/audio/find-ffmpeg.ts';
import { type Found, failed, ok, warning } from './finding.ts';

/** A correct clock never shows an earlier time than the first release. */
const FIRST_RELEASE = Date.UTC(2026, 10, 1);
const TOLERANCE_MS = 60_000;

/** Checks whether the database is undamaged and writable. Reads all of it. */
export async function checkDatabase(context: AppContext): Promise<Found> {
  try {
    await context.store.check(true);
  } catch (error) {
    return failed((error as Error).message, 'restore a backup');
  }
  try {
    await context.store.checkRights?.();
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return failed(error.message, 'nothing can be changed until then');
  }
  const { live, takenDown, withdrawn, unavailable } = await context.store.catalog.counts();
  const detail = `whole; ${counted(live, 'track')} live, ${takenDown} taken down, ${withdrawn} withdrawn, ${unavailable} unavailable`;
  if (context.store.isPlainToOthers?.()) {
    return warning(
      `${detail}; the connection to it is not encrypted`,
      'set sslmode=verify-full and sslrootcert=FILE in STAVE_DATABASE_URL (docs/operations.md#tls-to-postgresql)',
    );
  }
  return ok(detail);
}

/** A service switches tracks within a second, or within some minutes if a million tracks switch at once. */
const SWITCH_MS = 5 * 60_000;

/** Checks whether tracks have switched at the beginnings and ends of their periods of availability. */
export async function checkAvailability({ store, clock }: AppContext): Promise<Found> {
  const next = await store.availability.nextSwitch();
  if (next === null) return ok('no track has a period that begins or ends');
  const time = new Date(next).toISOString();
  return next > clock.now() - SWITCH_MS
    ? ok(`the next period begins or ends at ${time}`)
    : warning(
        `a period began or ended at ${time}, and its tracks have not switched`,
        'start the service, or look for "switching tracks by their availability" in its log',
      );
}

/** Does not check the keys of certificates, because each start makes the missing ones. */
export async function checkKeys(context: AppContext): Promise<Found> {
  const keys = await context.store.keys.all();
  const live = keys.filter(({ retiredAt }) => retiredAt === null);
  if (keys.length === 0) {
    return ok('none yet; the first start makes them');
  }
  const missing = ['token', 'url'].filter(
    (purpose) => !live.some((key) => key.purpose === purpose),
  );
  return missing.length > 0
    ? failed(`no live key for ${missing.join(' and ')}`, 'run `stave keys rotate`')
    : ok(`${live.length} sign, ${keys.length - live.length} retired`);
}

/** Checks whether every media file that a track names exists, and whether there are files that no track names. */
export async function checkMedia(context: AppContext): Promise<Found> {
  const spare = new Set<string>();
  for await (const key of context.media.keys()) spare.add(key);
  const present = spare.size;
  const named = new Set<string>();
  const missing = new Set<string>();
  for await (const slice of context.store.catalog.mediaKeys()) {
    for (const key of slice) {
      if (!spare.delete(key) && !named.has(key)) missing.add(key);
      named.add(key);
    }
  }
  if (missing.size > 0) {
    const some = [...missing].slice(0, 3).join(', ');
    return failed(
      `${counted(missing.size, 'file is', 'files are')} missing, such as ${some}`,
      'import their tracks again, or restore them from a backup; `stave previews build --all` makes lost previews again',
    );
  }
  return spare.size > 0
    ? warning(
        `${spare.size} of ${counted(present, 'file')} ${spare.size === 1 ? 'is' : 'are'} named by no track`,
        'nothing needs them, unless an import is running',
      )
    : ok(`${counted(present, 'file')}, none missing`);
}

/** Checks whether the clock can be correct, because tokens and signed URLs depend on it. */
export async function checkClock(context: AppContext): Promise<Found> {
  const now = context.clock.now();
  const shown = new Date(now).toISOString();
  const { headAt } = await context.store.changes.bounds();
  if (now < FIRST_RELEASE) {
    return failed(`${shown} is before the first release`, 'set the clock (NTP)');
  }
  return headAt > now + TOLERANCE_MS
    ? warning(
        `${shown} is before the last change in the log`,
        `set the clock (NTP); if it is right, changes get the time ${new Date(headAt).toISOString()} until then`,
      )
    : ok(shown);
}

/** Checks whether audio is analyzed. Silent and damaged files are no problem of the installation. */
export async function checkAnalysis({ config, store }: AppContext): Promise<Found> {
  const { queued, failed } = await store.soundJobs.unmade();
  if (!config.analysis) return ok('off');
  if (queued > 0 && (await store.renditions.nodes()).length === 0) {
    return warning(
      `${counted(queued, 'file')} queued, and no running node analyzes them`,
      'start a node with STAVE_PREVIEW_THREADS of 1 or more, or run `stave sound build`',
    );
  }
  return ok(`${queued} queued, ${failed} failed`);
}

/** Checks whether waveforms and preview clips are made, if a client has the feature. */
export async function checkPreviews({ config, store }: AppContext): Promise<Found> {
  const clients = await store.clients.all();
  if (!clients.some(({ enabled, features }) => enabled && features.includes('previews'))) {
    return ok('off: no client has the feature');
  }
  const { setting } = config.ffmpeg;
  if (setting !== null && setting !== 'off' && !(await isExecutable(setting))) {
    const advice = 'correct STAVE_FFMPEG, or remove it to use the ffmpeg of the PATH';
    return warning(`${setting} cannot be executed`, advice);
  }
  const { queued, failed } = await store.renditions.unmade();
  const nodes = await store.renditions.nodes();
  if (queued > 0 && nodes.length === 0) {
    return warning(
      `${counted(queued, 'file')} queued, and no running node makes them`,
      'start a node with STAVE_PREVIEW_THREADS of 1 or more, or run `stave previews build`',
    );
  }
  const decoded = new Set(nodes.flatMap(({ formats }) => formats));
  const waiting = (await store.renditions.queuedFormats()).filter((one) => !decoded.has(one));
  if (waiting.length > 0) {
    return warning(
      `some queued files need what no running node has: ${waiting.join(', ')}`,
      'install ffmpeg on a node that makes previews, and restart it',
    );
  }
  if (failed > 0) {
    return warning(
      `${counted(failed, 'file')} failed`,
      '`stave previews show SLUG` gives the reason for a track; `stave previews retry` tries again',
    );
  }
  return ok(`${counted(nodes.length, 'node makes', 'nodes make')} them, ${queued} queued`);
}
