import type { Clock } from '../../../common/clock.ts';
import { counted } from '../../../common/text/counted.ts';
import { printableLine } from '../../../common/text/printable.ts';
import { keepHeapSmall } from '../../../common/threads/keep-heap-small.ts';
import type { TrackType } from '../../../features/catalog/track.ts';
import { type Reading, readingName } from '../../../features/import/files/parts.ts';
import type { Rejection } from '../../../features/import/item.ts';
import { importLicenseRecords } from '../../../features/import/licenses/license-import.ts';
import type { ImportProgress, ImportSummary } from '../../../features/import/options.ts';
import {
  type ImportContext,
  type ImportResult,
  importTracks as runTrackImport,
} from '../../reports/import-tracks.ts';
import type { Output } from '../terminal/output.ts';
import { progressBar } from '../terminal/progress-bar.ts';
import { openRejectionReport } from '../terminal/rejection-report.ts';

/** The options of `stave import`, as given on the command line. */
export interface ImportCommandOptions {
  source?: string;
  map?: string;
  type?: TrackType;
  strict?: boolean;
  dryRun?: boolean;
  prune?: boolean;
  pruneLimit?: number;
  /** The file to write all rejections to, as NDJSON. */
  rejects?: string;
}

/**
 * Exit codes without and with rejections (docs/contract/operations.md#exit-codes). An import that
 * cannot run throws an OperatorError.
 */
const EXIT_COMPLETE = 0;
const EXIT_REJECTED = 2;
/** The records were imported, but the prune was refused. */
const EXIT_PRUNE_REFUSED = 1;

/** `stave import`: imports the paths and returns the exit code. */
export async function importTracks(
  paths: readonly string[],
  options: ImportCommandOptions,
  context: ImportContext,
  output: Output,
): Promise<number> {
  keepHeapSmall();
  const { map, rejects, ...rest } = options;
  const report = { file: rejects, inputs: map === undefined ? paths : [...paths, map] };
  let result: ImportResult | undefined;
  const exitCode = await reported(report, context.clock, output, {
    run: async (listeners) => {
      result = await runTrackImport(context, { ...rest, ...listeners, mapFile: map, paths });
      return result.summary;
    },
    told: (summary) => {
      const withdrawn = summary.withdrawn === undefined ? '' : `, ${summary.withdrawn} withdrawn`;
      const down =
        summary.stayDown === undefined
          ? ''
          : `; ${counted(summary.stayDown, 'stays down', 'stay down')}`;
      const what = options.dryRun ? 'Dry run: read' : 'Read';
      return `${what} ${summary.read}: ${countsOf(summary)}${withdrawn}${down}.`;
    },
  });
  const { batch, wasPruneRefused } = result!;
  if (batch !== null) {
    output.note(`the import is batch ${batch}: \`stave import undo ${batch}\` takes it back`);
  }
  return wasPruneRefused ? EXIT_PRUNE_REFUSED : exitCode;
}

/** `stave licenses import`: imports sold licenses and returns the exit code. */
export function importLicenses(
  paths: readonly string[],
  context: ImportContext,
  output: Output,
  options: { rejects?: string } = {},
): Promise<number> {
  return reported({ file: options.rejects, inputs: paths }, context.clock, output, {
    run: (listeners) =>
      importLicenseRecords({
        ...listeners,
        paths,
        licenses: context.store.licenses,
        catalog: context.store.catalog,
        clients: context.store.clients,
        by: context.by,
      }),
    told: (summary) => `Read ${counted(summary.read, 'license')}: ${countsOf(summary)}.`,
  });
}

interface ImportListeners {
  onReading: (reading: Reading) => void;
  onRejection: (rejection: Rejection, reading?: Reading) => void;
  onNote: (note: string) => void;
  onProgress: (progress: ImportProgress) => void;
}

/**
 * Runs an import with a progress bar. Prints rejections as they occur, and the summary at the end.
 */
async function reported(
  rejects: { file: string | undefined; inputs: readonly string[] },
  clock: Clock,
  output: Output,
  {
    run,
    told,
  }: {
    run: (listeners: ImportListeners) => Promise<ImportSummary>;
    told: (summary: ImportSummary) => string;
  },
): Promise<number> {
  const bar = progressBar(output.terminal, clock);
  const report = await openRejectionReport(rejects.file, rejects.inputs, output, bar);
  try {
    const summary = await run({
      onReading: (reading) =>
        output.note(`${reading.path}: ${reading.format}, ${readingName(reading)}`),
      onRejection: report.tell,
      onNote: (note) => bar.around(() => output.warn(printableLine(note))),
      onProgress: ({ reading, ...progress }) =>
        bar.show(reading === undefined ? progress : { ...progress, label: readingName(reading) }),
    });
    bar.clear();
    report.finish();
    output.result(summary, () => told(summary));
    return summary.rejected > 0 ? EXIT_REJECTED : EXIT_COMPLETE;
  } finally {
    bar.clear();
    await report.close();
  }
}

function countsOf({ created, updated, unchanged, rejected }: ImportSummary): string {
  return `${created} created, ${updated} updated, ${unchanged} unchanged, ${rejected} rejected`;
}
