import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../app/config/config.ts';
import type { AppContext } from '../../app/open/context.ts';
import { DATABASE_FILE } from '../../app/open/data-folder.ts';
import type { Clock } from '../../common/clock.ts';
import type { SchemaInspection } from '../../engines/sql/schema.ts';
import {
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
  checkSpace,
  checkTls,
} from './check-machine.ts';
import { checkHolder, checkService, checkSkew } from './check-service.ts';
import { checkAudio, checkDiskUse } from './check-use.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

/** What an examination needs; `explain` puts an error into one line. */
export interface Examination {
  nodeVersion: string;
  clock: Clock;
  /** Throws OperatorError. */
  readConfig(): Config;
  /** Looks at the schema of the database, which opening it would migrate. */
  inspectStore(config: Config): Promise<SchemaInspection>;
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
  const port = await guarded('port', () => checkPort(config));
  return [
    node,
    ok('settings', 'good'),
    await guarded('data folder', () => checkDataFolder(config)),
    await guarded('disk space', () => checkSpace(config)),
    ...(await examineCatalog(given, config, { guarded, isServing: isServing(port) })),
    await guarded('redis', () => checkRedis(config)),
    await guarded('tls', () => checkTls(config, given.clock.now())),
    port,
  ];
}

async function examineCatalog(
  given: Examination,
  config: Config,
  {
    guarded,
    isServing,
  }: {
    guarded: (check: string, work: () => Promise<Finding>) => Promise<Finding>;
    isServing: boolean;
  },
): Promise<Finding[]> {
  const path = join(config.dataFolder, DATABASE_FILE);
  const isAbsent = () =>
    access(path).then(
      () => false,
      (error) => error.code === 'ENOENT',
    );
  if (config.database === null && (await isAbsent())) {
    return [
      ok('database', `${path} does not exist yet; the first start makes it`),
      ...checkHolder(config),
      await guarded('disk use', () => checkDiskUse(config)),
    ];
  }
  let context: AppContext;
  let schema: SchemaInspection;
  try {
    schema = await given.inspectStore(config);
    if (schema.version === 0 || schema.steps.length > 0) {
      return [
        schemaToMake(schema),
        ...(schema.version === 0 ? checkHolder(config) : []),
        await guarded('disk use', () => checkDiskUse(config, { schema })),
      ];
    }
    context = await given.openAppContext(config);
  } catch (error) {
    return [failed('database', given.explain(error), 'mend this, or restore a backup')];
  }
  try {
    return [
      await guarded('database', () => checkDatabase(context)),
      await guarded('service', () => checkService(context, isServing)),
      await guarded('disk use', () => checkDiskUse(config, { schema, context })),
      await guarded('keys', () => checkKeys(context)),
      await guarded('media', () => checkMedia(context)),
      await guarded('audio', () => checkAudio(context)),
      await guarded('availability', () => checkAvailability(context)),
      await guarded('previews', () => checkPreviews(context)),
      await guarded('clock', () => checkClock(context)),
      await guarded('clock skew', () => checkSkew(context)),
    ];
  } finally {
    await context.close();
  }
}

/** The database has no schema yet, or an older one. The other checks need the schema of this version. */
function schemaToMake({ place, version, known }: SchemaInspection): Finding {
  return version === 0
    ? ok('database', `${place} is empty; the first start makes the schema`)
    : warning(
        'database',
        `${place} has schema ${version}, and the next start of this version migrates it to ${known}`,
        'see `stave upgrade --check`; the other checks of the database need the migration, or the version before it',
      );
}

/** Whether the finding about the port says that a Stave answers there. */
function isServing({ detail }: Finding): boolean {
  return detail.startsWith('Stave ');
}
