import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { openAppContext } from '../../../app/open/context.ts';
import { openLog } from '../../../app/open/logger.ts';
import { systemClock } from '../../../common/clock.ts';
import type { Log } from '../../../common/log.ts';
import { explain, isExpected } from '../../../common/text/explain.ts';
import { CSV_MARK, csvTable } from '../../../common/text/shown.ts';
import { explainImport } from '../../../features/import/explain/explain.ts';
import { kindOf, type Rejection } from '../../../features/import/item.ts';
import { mediaPlaceAt } from '../../backup/place.ts';
import { takeBackup } from '../../backup/take-backup.ts';
import { examine } from '../../doctor/examine.ts';
import { type ImportContext, type ImportResult, importTracks } from '../../import-tracks.ts';
import { LineFile } from '../../line-file.ts';
import { catalogSheet } from '../../statements/catalog-sheet.ts';
import { type FromJob, type ImportForm, type JobOrder, UNEXPECTED } from './jobs.ts';

type Send = (message: FromJob) => void;

/** Runs one job, with its own connection to the store. The last message is its result, or why it failed. */
export async function runJob(order: JobOrder, send: Send): Promise<void> {
  const { title, config } = order;
  const log = openLog({ level: config.logLevel, clock: systemClock, fields: { job: title } });
  try {
    send({ kind: 'done', result: await resultOf(order, log, send) });
  } catch (error) {
    const isPlain = isExpected(error);
    if (!isPlain) log.error({ err: error }, 'a job of the console failed');
    send({ kind: 'failed', reason: isPlain ? explain(error) : UNEXPECTED });
  }
}

async function resultOf({ config, by, work, rejectionFile }: JobOrder, log: Log, send: Send) {
  const open = { config, clock: systemClock, log };
  if (work.kind === 'explain') return explainImport({ ...work.options, clock: systemClock });
  if (work.kind === 'doctor') {
    return examine({ ...open, nodeVersion: process.versions.node, readConfig: () => config });
  }
  const context = { ...(await openAppContext(open)), by };
  try {
    switch (work.kind) {
      case 'import':
        return await runImportJob(context, work.form, { rejectionFile, send });
      case 'undo':
        return await context.store.batches.undo(work.batch, {
          by,
          dryRun: work.dryRun,
          onSkipped: (slug) => send({ kind: 'note', note: `${slug} is left as it is` }),
        });
      case 'catalog':
        return catalogSheet(await context.store.trackFinder.sourceCounts(), systemClock.now());
      case 'backup':
        return await takeBackup(context, mediaPlaceAt('the place', work.place), {
          openCopy: (dataFolder) =>
            openAppContext({ ...open, config: { ...config, database: null, dataFolder } }),
          onWait: (note) => send({ kind: 'note', note }),
        });
    }
  } finally {
    await context.close();
  }
}

/** The shortest time between two messages about progress. */
const SEND_MS = 250;
/** The page of the job shows the first rejections of all, and the first of each of the first kinds. The file has all. */
const MAX_REJECTIONS = 1_000;
const MAX_OF_KIND = 50;
const MAX_KINDS = 100;

const REJECTION_TABLE = csvTable<Rejection>({
  File: ({ file }) => file.slice(file.lastIndexOf('/') + 1),
  Line: ({ line }) => line,
  Field: ({ field }) => field,
  Reason: ({ reason }) => reason,
});

async function runImportJob(
  context: ImportContext,
  form: ImportForm,
  { rejectionFile, send }: { rejectionFile: string; send: Send },
): Promise<ImportResult> {
  const { clock } = context;
  let sentAt = clock.now();
  let waiting: Rejection[] = [];
  let count = 0;
  const kinds = new Map<string, number>();
  const sendRejections = () => {
    send({ kind: 'rejections', rejections: waiting, count, kinds });
    waiting = [];
  };
  mkdirSync(dirname(rejectionFile), { recursive: true, mode: 0o700 });
  const file = new LineFile(rejectionFile);
  file.write(CSV_MARK + REJECTION_TABLE.heading);
  try {
    return await importTracks(context, {
      ...form,
      onNote: (note) => send({ kind: 'note', note }),
      onRejection(rejection) {
        count++;
        file.write(REJECTION_TABLE.row(rejection));
        const kind = kindOf(rejection);
        const isCounted = kinds.has(kind) || kinds.size < MAX_KINDS;
        const ofKind = (kinds.get(kind) ?? 0) + 1;
        if (isCounted) kinds.set(kind, ofKind);
        if (count <= MAX_REJECTIONS || (isCounted && ofKind <= MAX_OF_KIND)) {
          waiting.push(rejection);
        }
      },
      onProgress({ reading, ...progress }) {
        if (clock.now() - sentAt < SEND_MS) return;
        sentAt = clock.now();
        send({ kind: 'progress', progress: { ...progress, file: reading?.path ?? null } });
        sendRejections();
      },
    });
  } finally {
    sendRejections();
    try {
      file.close();
    } catch (error) {
      // The import itself has ended.
      send({ kind: 'note', note: explain(error) });
    }
    if (count === 0) rmSync(rejectionFile, { force: true });
  }
}
