import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { setFlagsFromString } from 'node:v8';
import type { TrackType } from '../catalog/track.ts';
import { importLicenceRecords } from '../import/licence-import.ts';
import type { Rejection } from '../import/rejection.ts';
import { runImport } from '../import/run.ts';
import type { Actor } from '../kernel/actor.ts';
import type { Clock } from '../kernel/clock.ts';
import { OperatorError } from '../kernel/operator-error.ts';
import type { MediaStore } from '../media/media-store.ts';
import type { Store } from '../storage/store.ts';
import type { Output } from './output.ts';
import { type ProgressBar, progressBar } from './progress-bar.ts';
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

/** More than these are not printed: a broken catalog has one reason a million times. */
const MAX_PRINTED = 100;

/** `stave import`: reads the paths into the catalog and returns the exit code. */
export async function importTracks(
  paths: readonly string[],
  options: ImportCommandOptions,
  house: ImportHouse,
  output: Output,
): Promise<number> {
  // The records of a batch die young by the thousand. Left alone, V8 answers with a young generation
  // of 130 MB; kept at its first size it is as fast, and the whole import stays half as large.
  setFlagsFromString('--semi-space-growth-factor=1');
  const { map, rejects, ...rest } = options;
  const bar = progressBar(output.interactive ? process.stderr : undefined, house.clock);
  const reporter = await openRejectionReporter(rejects, output, bar);
  try {
    const summary = await runImport({
      ...rest,
      mapFile: map,
      paths,
      catalog: house.store.catalog,
      media: house.media,
      by: house.by,
      onRejection: reporter.report,
      onNote: (note) => bar.around(() => output.warn(printable(note))),
      onProgress: bar.show,
    });
    bar.clear();
    reporter.finish();
    const { read, created, updated, unchanged, rejected, takenDown } = summary;
    output.result(
      summary,
      () =>
        `${options.dryRun ? 'Dry run: read' : 'Read'} ${read}: ${created} created, ${updated} updated, ${unchanged} unchanged, ${rejected} rejected${takenDown === undefined ? '' : `, ${takenDown} taken down`}.`,
    );
    return rejected > 0 ? EXIT_REJECTED : EXIT_COMPLETE;
  } finally {
    bar.clear();
    await reporter.close();
  }
}

/** `stave licenses import`: reads licences that were sold and returns the exit code. */
export async function importLicences(
  paths: readonly string[],
  house: ImportHouse,
  output: Output,
  options: { rejects?: string } = {},
): Promise<number> {
  const bar = progressBar(output.interactive ? process.stderr : undefined, house.clock);
  const reporter = await openRejectionReporter(options.rejects, output, bar);
  try {
    const summary = await importLicenceRecords({
      paths,
      licences: house.store.licences,
      catalog: house.store.catalog,
      clients: house.store.clients,
      by: house.by,
      onRejection: reporter.report,
      onProgress: bar.show,
    });
    bar.clear();
    reporter.finish();
    const { read, created, updated, unchanged, rejected } = summary;
    output.result(
      summary,
      () =>
        `Read ${read} licences: ${created} created, ${updated} updated, ${unchanged} unchanged, ${rejected} rejected.`,
    );
    return rejected > 0 ? EXIT_REJECTED : EXIT_COMPLETE;
  } finally {
    bar.clear();
    await reporter.close();
  }
}

interface RejectionReporter {
  report: (rejection: Rejection) => void;
  /** Says how many were not printed. */
  finish(): void;
  close(): Promise<void>;
}

/** Prints the first rejections, and writes all of them to the file where one is named. */
async function openRejectionReporter(
  file: string | undefined,
  output: Output,
  bar: ProgressBar,
): Promise<RejectionReporter> {
  const all = file === undefined ? undefined : await openFile(file);
  let count = 0;
  return {
    report(rejection) {
      count++;
      if (count <= MAX_PRINTED) {
        bar.around(() => output.note(rejectionLine(rejection)));
      }
      all?.write(`${JSON.stringify(rejection)}\n`);
    },
    finish() {
      if (count > MAX_PRINTED) {
        const hint = file === undefined ? '--rejects FILE lists all' : `all are in ${file}`;
        output.note(`… and ${count - MAX_PRINTED} more (${hint})`);
      }
    },
    async close() {
      if (all !== undefined) {
        all.end();
        await finished(all);
      }
    },
  };
}

async function openFile(path: string): Promise<WriteStream> {
  const stream = createWriteStream(path);
  try {
    await once(stream, 'open');
    return stream;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new OperatorError(`cannot write ${path} (${code})`, { cause: error });
  }
}

/** `file:line: field: reason`, safe for a terminal. */
function rejectionLine({ file, line, field, reason }: Rejection): string {
  const place = line === null ? file : `${file}:${line}`;
  return printable(field === '' ? `${place}: ${reason}` : `${place}: ${field}: ${reason}`);
}
