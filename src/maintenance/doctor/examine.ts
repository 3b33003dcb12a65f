import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../app/config.ts';
import type { AppContext } from '../../app/context.ts';
import { DATABASE_FILE } from '../../app/data-folder.ts';
import type { Clock } from '../../common/clock.ts';
import { checkClock, checkDatabase, checkKeys, checkMedia, checkReplica } from './check-catalog.ts';
import { checkDataFolder, checkNode, checkSpace, checkTls } from './check-machine.ts';
import { checkPort } from './check-port.ts';
import { checkPreviews } from './check-previews.ts';
import { checkRedis } from './check-redis.ts';
import { type Finding, failed, ok } from './finding.ts';

/** What an examination needs; `explain` puts an error into one line. */
export interface Examination {
  nodeVersion: string;
  clock: Clock;
  /** Throws OperatorError. */
  readConfig(): Config;
  openAppContext(config: Config): Promise<AppContext>;
  explain(error: unknown): string;
}

/**
 * Runs all checks of `stave doctor`, in order. Never throws: a check that cannot run is a finding.
 * Creates nothing; reads the whole database and the names of all media.
 */
export async function examine(given: Examination): Promise<Finding[]> {
  const node = checkNode(given.nodeVersion);
  let config: Config;
  try {
    config = given.readConfig();
  } catch (error) {
    const advice = 'correct the environment; the other checks need it';
    return [node, failed('settings', given.explain(error), advice)];
  }
  const guarded = (check: string, work: () => Promise<Finding>) =>
    work().catch((error) => failed(check, given.explain(error), 'correct this first'));
  return [
    node,
    ok('settings', 'good'),
    await guarded('data folder', () => checkDataFolder(config)),
    await guarded('disk space', () => checkSpace(config)),
    ...(await examineCatalog(given, config, guarded)),
    await guarded('redis', () => checkRedis(config)),
    await guarded('tls', () => checkTls(config, given.clock.now())),
    await guarded('port', () => checkPort(config)),
  ];
}

async function examineCatalog(
  given: Examination,
  config: Config,
  guarded: (check: string, work: () => Promise<Finding>) => Promise<Finding>,
): Promise<Finding[]> {
  const path = join(config.dataFolder, DATABASE_FILE);
  const isAbsent = () =>
    access(path).then(
      () => false,
      (error) => error.code === 'ENOENT',
    );
  if (config.database === null && (await isAbsent())) {
    return [ok('database', `${path} does not exist yet; the first start makes it`)];
  }
  let context: AppContext;
  try {
    context = await given.openAppContext(config);
  } catch (error) {
    return [failed('database', given.explain(error), 'mend this, or restore a backup')];
  }
  try {
    return [
      await guarded('database', () => checkDatabase(context)),
      await guarded('replica', () => checkReplica(context)),
      await guarded('keys', () => checkKeys(context)),
      await guarded('media', () => checkMedia(context)),
      await guarded('previews', () => checkPreviews(context)),
      await guarded('clock', () => checkClock(context)),
    ];
  } finally {
    await context.close();
  }
}
