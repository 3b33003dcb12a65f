import { setFlagsFromString } from 'node:v8';
import type { TrackType } from '../catalog/track.ts';
import { importLicenceRecords } from '../import/licence-import.ts';
import type { Rejection } from '../import/rejection.ts';
import { type ImportProgress, type ImportSummary, runImport } from '../import/run.ts';
import type { Actor } from '../kernel/actor.ts';
import type { Clock } from '../kernel/clock.ts';
import type { MediaStore } from '../media/media-store.ts';
import type { Store } from '../storage/store.ts';
import type { Output } from './output.ts';
import { progressBar } from './progress-bar.ts';
import { openRejectionReport } from './rejection-report.ts';
import { printable } from './table.ts';

/** The parts of an open house that an import works in. */
export interface ImportHouse {
  store: Store;
  media: MediaStore;
  clock: Clock;
  by: Actor;
}

/** The options of `stave import`, as the command line gives them. */
export interface ImportCommandOptions {
  source?: string;
  map?: string;
  type?: TrackType;
  strict?: boolean;
  dryRun?: boolean;
  prune?: boolean;
  /** A file that all rejections are written to, as NDJSON. */
  rejects?: string;
}

/** Nothing was rejected, or something was (decisions §8). That it could not run is an OperatorError. */
const EXIT_COMPLETE = 0;
const EXIT_REJECTED = 2;

/** `stave import`: reads the paths into the catalog and returns the exit code. */
export function importTracks(
  paths: readonly string[],
  options: ImportCommandOptions,
  house: ImportHouse,
  output: Output,
): Promise<number> {
  // The records of a batch die young by the thousand. Left alone, V8 answers with a young generation
  // of 130 MB; kept at its first size it is as fast, and the whole import stays half as large.
  setFlagsFromString('--semi-space-growth-factor=1');
  const { map, rejects, ...rest } = options;
  const report = { file: rejects, inputs: map === undefined ? paths : [...paths, map] };
  return reported(report, house.clock, output, {
    run: (listeners) =>
      runImport({
        ...rest,
        ...listeners,
        mapFile: map,
        paths,
        catalog: house.store.catalog,
        media: house.media,
        by: house.by,
      }),
    told: (summary) => {
      const takenDown = summary.takenDown === undefined ? '' : `, ${summary.takenDown} taken down`;
      const what = options.dryRun ? 'Dry run: read' : 'Read';
      return `${what} ${summary.read}: ${countsOf(summary)}${takenDown}.`;
    },
  });
}

/** `stave licenses import`: reads licences that were sold and returns the exit code. */
export function importLicences(
  paths: readonly string[],
  house: ImportHouse,
  output: Output,
  options: { rejects?: string } = {},
): Promise<number> {
  return reported({ file: options.rejects, inputs: paths }, house.clock, output, {
    run: (listeners) =>
      importLicenceRecords({
        ...listeners,
        paths,
        licences: house.store.licences,
        catalog: house.store.catalog,
        clients: house.store.clients,
        by: house.by,
      }),
    told: (summary) => `Read ${summary.read} licences: ${countsOf(summary)}.`,
  });
}

interface ImportListeners {
  onRejection: (rejection: Rejection) => void;
  onNote: (note: string) => void;
  onProgress: (progress: ImportProgress) => void;
}

/** Runs an import under a progress bar, tells its rejections as they come and its summary at the end. */
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
      onRejection: report.tell,
      onNote: (note) => bar.around(() => output.warn(printable(note))),
      onProgress: bar.show,
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
