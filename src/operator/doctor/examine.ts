import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../app/config/config.ts';
import { type AppContext, openAppContext } from '../../app/open/context.ts';
import { DATABASE_FILE } from '../../app/open/data-folder.ts';
import { inspectStore, locationOf } from '../../app/open/open-store.ts';
import type { Clock } from '../../common/clock.ts';
import type { Log } from '../../common/log.ts';
import { explain } from '../../common/text/explain.ts';
import type { SchemaInspection } from '../../engines/sql/schema.ts';
import { checkEmbeddings } from './check-briefs.ts';
import {
  checkAnalysis,
  checkAvailability,
  checkClock,
  checkDatabase,
  checkKeys,
  checkMedia,
  checkPreviews,
} from './check-catalog.ts';
import {
  checkDataFolder,
  checkNode,
  checkPort,
  checkRedis,
  checkSettings,
  checkSpace,
  checkTls,
} from './check-machine.ts';
import { checkHolder, checkService, checkSkew } from './check-service.ts';
import { checkAudio, checkBackup, checkDiskUse, checkWebhooks } from './check-use.ts';
import { type Finding, type Found, failed, ok, warning } from './finding.ts';

export interface Examination {
  nodeVersion: string;
  clock: Clock;
  log: Log;
  /** Throws OperatorError. */
  readConfig(): Config;
}

/**
 * Runs all checks of `stave doctor`, in order. Never throws: a check that cannot run is a finding.
 * Creates nothing; reads the whole database and the names of all media.
 */
export async function examine(given: Examination): Promise<Finding[]> {
  const node = { check: 'node', ...checkNode(given.nodeVersion) };
  let config: Config;
  try {
    config = given.readConfig();
  } catch (error) {
    const advice = 'correct the environment; the other checks need it';
    return [node, { check: 'settings', ...failed(explain(error), advice) }];
  }
  const port = await found('port', () => checkPort(config));
  return [
    node,
    { check: 'settings', ...checkSettings(config) },
    await found('data folder', () => checkDataFolder(config)),
    await found('disk space', () => checkSpace(config)),
    ...(await examineCatalog(given, config, isServing(port))),
    await found('redis', () => checkRedis(config)),
    await found('briefs', () => checkEmbeddings(config)),
    await found('tls', () => checkTls(config, given.clock.now())),
    port,
  ];
}

/** Returns the error of a check that cannot run as its finding. */
async function found(check: string, run: () => Promise<Found>): Promise<Finding> {
  const result = await run().catch((error) => failed(explain(error), 'correct this first'));
  return { check, ...result };
}

async function examineCatalog(
  { clock, log }: Examination,
  config: Config,
  isServing: boolean,
): Promise<Finding[]> {
  const path = join(config.dataFolder, DATABASE_FILE);
  const isAbsent = () =>
    access(path).then(
      () => false,
      (error) => error.code === 'ENOENT',
    );
  if (config.database === null && (await isAbsent())) {
    return [
      { check: 'database', ...ok(`${path} does not exist yet; the first start makes it`) },
      ...checkHolder(config),
      await found('disk use', () => checkDiskUse(config)),
    ];
  }
  let context: AppContext;
  let schema: SchemaInspection;
  try {
    // Opening the database would migrate it.
    schema = await inspectStore(locationOf(config), { log });
    if (schema.version === 0 || schema.steps.length > 0) {
      return [
        { check: 'database', ...schemaToMake(schema) },
        ...(schema.version === 0 ? checkHolder(config) : []),
        await found('disk use', () => checkDiskUse(config, { schema })),
      ];
    }
    context = await openAppContext({ config, clock, log });
  } catch (error) {
    const advice = 'correct this first; the other checks of the database need it';
    return [{ check: 'database', ...failed(explain(error), advice) }];
  }
  try {
    return [
      await found('database', () => checkDatabase(context)),
      await found('service', () => checkService(context, isServing)),
      await found('disk use', () => checkDiskUse(config, { schema, context })),
      await found('backup', () => checkBackup(context)),
      await found('keys', () => checkKeys(context)),
      await found('media', () => checkMedia(context)),
      await found('audio', () => checkAudio(context)),
      await found('availability', () => checkAvailability(context)),
      await found('previews', () => checkPreviews(context)),
      await found('analysis', () => checkAnalysis(context)),
      await found('webhooks', () => checkWebhooks(context)),
      await found('clock', () => checkClock(context)),
      await found('clock skew', () => checkSkew(context)),
    ];
  } finally {
    await context.close();
  }
}

/** For a database without a schema, or with an older one. The other checks need the schema of this version. */
function schemaToMake({ place, version, known }: SchemaInspection): Found {
  return version === 0
    ? ok(`${place} is empty; the first start makes the schema`)
    : warning(
        `${place} has schema ${version}, and the next start of this version migrates it to ${known}`,
        'see `stave upgrade --check`; the other checks of the database need the migration, or the version before it',
      );
}

/** Whether the finding about the port says that a Stave answers there. */
function isServing({ detail }: Finding): boolean {
  return detail.startsWith('Stave ');
}
