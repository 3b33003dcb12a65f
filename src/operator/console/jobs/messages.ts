import type { Config } from '../../../app/config/config.ts';
import type { UndoSummary } from '../../../features/catalog/batches.ts';
import type { ExplainOptions, Explanation } from '../../../features/import/explain/explain.ts';
import type { Rejection } from '../../../features/import/item.ts';
import type { ImportProgress } from '../../../features/import/options.ts';
import type { Manifest } from '../../backup/manifest.ts';
import type { Finding } from '../../doctor/finding.ts';
import type { ImportRequest, ImportResult } from '../../reports/import-tracks.ts';

/** What an import is told in a form. */
export type ImportForm = Pick<
  ImportRequest,
  'paths' | 'source' | 'mapFile' | 'mapFolder' | 'type' | 'strict' | 'dryRun' | 'prune'
>;

/** Work that takes longer than a response. */
export type JobWork =
  | { kind: 'import'; form: ImportForm }
  | { kind: 'explain'; options: Omit<ExplainOptions, 'clock'> }
  | { kind: 'undo'; batch: string; dryRun: boolean }
  | { kind: 'backup'; folder: string }
  | { kind: 'doctor' };

/** The results of the kinds of work. */
export interface JobResults {
  import: ImportResult;
  explain: Explanation;
  undo: UndoSummary;
  backup: Manifest;
  doctor: Finding[];
}

/** What the process of a job is told first. */
export interface JobOrder {
  config: Config;
  by: string;
  title: string;
  work: JobWork;
}

/** What the page of a job says of a fault, which only the log describes. */
export const UNEXPECTED = 'it failed unexpectedly; the log says why';

/** What the process of a job tells. */
export type FromJob =
  | { kind: 'progress'; progress: Omit<ImportProgress, 'reading'> & { file: string | null } }
  | { kind: 'note'; note: string }
  | { kind: 'rejections'; rejections: Rejection[]; count: number }
  | { kind: 'done'; result: JobResults[keyof JobResults] }
  | { kind: 'failed'; reason: string };
