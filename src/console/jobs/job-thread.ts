/** The thread of one job of the console, with its own connection to the store. jobs.ts starts it. */
import { parentPort, workerData } from 'node:worker_threads';
import { openAppContext } from '../../app/context.ts';
import { openLog } from '../../app/logger.ts';
import { inspectStore, locationOf } from '../../app/open-store.ts';
import { systemClock } from '../../common/clock.ts';
import { explain, isExpected } from '../../common/explain.ts';
import type { Log } from '../../common/log.ts';
import { explainImport } from '../../import/explain/explain.ts';
import { takeBackup } from '../../maintenance/backup/take-backup.ts';
import { examine } from '../../maintenance/doctor/examine.ts';
import { type FromJobThread, type JobThreadData, UNEXPECTED } from './messages.ts';
import { runImportJob } from './run-import-job.ts';

const { config, by, title, work }: JobThreadData = workerData;
const port = parentPort!;
const log = ofJob(openLog({ level: config.logLevel, clock: systemClock }));

try {
  tell({ kind: 'done', result: await run() });
} catch (error) {
  const isPlain = isExpected(error);
  if (!isPlain) log.error({ err: error }, 'a job of the console failed');
  tell({ kind: 'failed', reason: isPlain ? explain(error) : UNEXPECTED });
}
port.close();

async function run() {
  const open = { config, clock: systemClock, log };
  if (work.kind === 'explain') return explainImport({ ...work.options, clock: systemClock });
  if (work.kind === 'doctor') {
    return examine({
      nodeVersion: process.versions.node,
      clock: systemClock,
      readConfig: () => config,
      inspectStore: (given) => inspectStore(locationOf(given), { log }),
      openAppContext: (given) => openAppContext({ ...open, config: given }),
      explain,
    });
  }
  const context = { ...(await openAppContext(open)), by };
  try {
    switch (work.kind) {
      case 'import':
        return await runImportJob(context, work.form, tell);
      case 'undo':
        return await context.store.batches.undo(work.batch, {
          by,
          dryRun: work.dryRun,
          onSkipped: (slug) => tell({ kind: 'note', note: `${slug} is left as it is` }),
        });
      case 'backup':
        return await takeBackup(context, work.folder, (dataFolder) =>
          openAppContext({ ...open, config: { ...config, dataFolder } }),
        );
    }
  } finally {
    await context.close();
  }
}

/** The log of this thread: each line names the job. */
function ofJob(all: Log): Log {
  const named = (fields: object) => ({ job: title, ...fields });
  return {
    debug: (fields, message) => all.debug(named(fields), message),
    info: (fields, message) => all.info(named(fields), message),
    warn: (fields, message) => all.warn(named(fields), message),
    error: (fields, message) => all.error(named(fields), message),
  };
}

function tell(message: FromJobThread): void {
  port.postMessage(message);
}
