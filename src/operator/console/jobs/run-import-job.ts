import type { Rejection } from '../../../features/import/item.ts';
import {
  type ImportContext,
  type ImportResult,
  importTracks,
} from '../../reports/import-tracks.ts';
import type { FromJob, ImportForm } from './messages.ts';

/** How often progress and rejections are told, at most. */
const TELL_MS = 250;
/** The rejections that are told. The others are counted. */
const MAX_REJECTIONS = 1_000;

/** Runs an import that tells its progress from time to time. */
export async function runImportJob(
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
