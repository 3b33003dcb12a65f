/** The thread of one job of the console, with its own connection to the store. jobs.ts starts it. */
import { parentPort, workerData } from 'node:worker_threads';
import { openAppContext } from '../../app/context.ts';
import { inspectStore, locationOf } from '../../app/open-store.ts';
import { systemClock } from '../../common/clock.ts';
import { explain } from '../../common/explain.ts';
import { silentLog } from '../../common/log.ts';
import { explainImport } from '../../import/explain/explain.ts';
import { takeBackup } from '../../maintenance/backup/take-backup.ts';
import { examine } from '../../maintenance/doctor/examine.ts';
import type { FromJobThread, JobThreadData } from './messages.ts';
import { runImportJob } from './run-import-job.ts';

const { config, by, work }: JobThreadData = workerData;
const port = parentPort!;

try {
  tell({ kind: 'done', result: await run() });
} catch (error) {
  tell({ kind: 'failed', reason: explain(error) });
}
port.close();

async function run() {
  const open = { config, clock: systemClock, log: silentLog };
  if (work.kind === 'explain') return explainImport({ ...work.options, clock: systemClock });
  if (work.kind === 'doctor') {
    return examine({
      nodeVersion: process.versions.node,
      clock: systemClock,
      readConfig: () => config,
      inspectStore: (given) => inspectStore(locationOf(given), { log: silentLog }),
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

function tell(message: FromJobThread): void {
  port.postMessage(message);
}
