import type { House } from '../house.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

/** No machine whose clock is right is earlier than the first release. */
const FIRST_RELEASE = Date.UTC(2026, 10, 1);
const TOLERANCE_MS = 60_000;

/** Whether the database is whole. Reads all of it. */
export async function checkDatabase(house: House): Promise<Finding> {
  try {
    await house.store.check(true);
  } catch (error) {
    return failed('database', (error as Error).message, 'restore a backup');
  }
  const { live, takenDown } = await house.store.catalog.counts();
  return ok('database', `whole; ${live} tracks live, ${takenDown} taken down`);
}

/** Whether there are keys to sign with. */
export async function checkKeys(house: House): Promise<Finding> {
  const keys = await house.store.keys.all();
  const live = keys.filter(({ retiredAt }) => retiredAt === null);
  if (keys.length === 0) {
    return ok('keys', 'none yet; the first start makes them');
  }
  const missing = ['token', 'url'].filter(
    (purpose) => !live.some((key) => key.purpose === purpose),
  );
  return missing.length > 0
    ? failed('keys', `no live key for ${missing.join(' and ')}`, 'run `stave keys rotate`')
    : ok('keys', `${live.length} sign, ${keys.length - live.length} retired`);
}

/** Whether every media file that a track names is there, and whether some are there for nobody. */
export async function checkMedia(house: House): Promise<Finding> {
  const spare = new Set<string>();
  for await (const key of house.media.keys()) {
    spare.add(key);
  }
  const present = spare.size;
  const named = new Set<string>();
  const missing = new Set<string>();
  for await (const slice of house.store.catalog.mediaKeys()) {
    for (const key of slice) {
      if (!spare.delete(key) && !named.has(key)) {
        missing.add(key);
      }
      named.add(key);
    }
  }
  if (missing.size > 0) {
    const some = [...missing].slice(0, 3).join(', ');
    return failed(
      'media',
      `${missing.size} files are missing, such as ${some}`,
      'import their tracks again, or restore them from a backup',
    );
  }
  return spare.size > 0
    ? warning(
        'media',
        `${spare.size} of ${present} files are named by no track`,
        'nothing needs them, unless an import is running',
      )
    : ok('media', `${present} files, all there`);
}

/** Whether the machine's time can be right: tokens and signed URLs hang on it. */
export async function checkClock(house: House): Promise<Finding> {
  const now = house.clock.now();
  const shown = new Date(now).toISOString();
  const [last] = await house.store.changes.latest(1);
  if (now < FIRST_RELEASE) {
    return failed('clock', `${shown} is before the first release`, 'set the clock (NTP)');
  }
  return last !== undefined && last.at > now + TOLERANCE_MS
    ? failed('clock', `${shown} is before the last change in the log`, 'set the clock (NTP)')
    : ok('clock', shown);
}
