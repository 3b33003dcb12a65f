import { openAppContext } from '../../../app/open/context.ts';
import { openLog } from '../../../app/open/logger.ts';
import { systemClock } from '../../../common/clock.ts';
import { type Log, withFields } from '../../../common/log.ts';
import { explain, isExpected } from '../../../common/text/explain.ts';
import { explainImport } from '../../../features/import/explain/explain.ts';
import type { Rejection } from '../../../features/import/item.ts';
import { takeBackup } from '../../backup/take-backup.ts';
import { examine } from '../../doctor/examine.ts';
import { type ImportContext, type ImportResult, importTracks } from '../../reports.ts';
import { type FromJob, type ImportForm, type JobOrder, UNEXPECTED } from './jobs.ts';

/** Tells what the job does. */
type Tell = (message: FromJob) => void;

/** Runs one job, with its own connection to the store. Tells its result, or why it failed, at last. */
export async function runJob(order: JobOrder, tell: Tell): Promise<void> {
  const { title, config } = order;
  const log = withFields(openLog({ level: config.logLevel, clock: systemClock }), { job: title });
  try {
    tell({ kind: 'done', result: await resultOf(order, log, tell) });
  } catch (error) {
    const isPlain = isExpected(error);
    if (!isPlain) log.error({ err: error }, 'a job of the console failed');
    tell({ kind: 'failed', reason: isPlain ? explain(error) : UNEXPECTED });
  }
}

async function resultOf({ config, by, work }: JobOrder, log: Log, tell: Tell) {
  const open = { config, clock: systemClock, log };
  if (work.kind === 'explain') return explainImport({ ...work.options, clock: systemClock });
  if (work.kind === 'doctor') {
    return examine({ ...open, nodeVersion: process.versions.node, readConfig: () => config });
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

/** How often progress and rejections are told, at most. */
const TELL_MS = 250;
/** The rejections that are told. The others are counted. */
const MAX_REJECTIONS = 1_000;

/** Runs an import that tells its progress from time to time. */
async function runImportJob(
  context: ImportContext,
  form: ImportForm,
  tell: (message: FromJob) => void,
): Promise<ImportResult> {
  const { clock } = context;
  let told = clock.now();
  let waiting: Rejection[] = [];
  let count = 0;
  const tellRejections = () => {
    tell({ kind: 'rejections', rejections: waiting, count });
    waiting = [];
  };
  const result = await importTracks(context, {
    ...form,
    onNote: (note) => tell({ kind: 'note', note }),
    onRejection(rejection) {
      count++;
      if (count <= MAX_REJECTIONS) waiting.push(rejection);
    },
    onProgress({ reading, ...progress }) {
      if (clock.now() - told < TELL_MS) return;
      told = clock.now();
      tell({ kind: 'progress', progress: { ...progress, file: reading?.path ?? null } });
      tellRejections();
    },
  });
  tellRejections();
  return result;
}
