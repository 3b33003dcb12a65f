import { stat } from 'node:fs/promises';
import type { Clock } from '../../../common/clock.ts';
import { OperatorError } from '../../../common/errors.ts';
import { counted, printableLine } from '../../../common/text/shown.ts';
import { keepHeapSmall } from '../../../common/threads/thread.ts';
import {
  type ExplainOptions,
  type Explanation,
  explainImport,
} from '../../../features/import/explain/explain.ts';
import { readingName } from '../../../features/import/files/parts.ts';
import type { Rejection } from '../../../features/import/item.ts';
import { importLicenseRecords } from '../../../features/import/licenses/license-import.ts';
import type { ImportSummary, Reading } from '../../../features/import/options.ts';
import { describe } from '../../../features/import/record.ts';
import { suggestMapping as suggest } from '../../../features/import/suggest/suggest.ts';
import {
  type ImportContext,
  type ImportRequest,
  type ImportResult,
  importTracks as runTrackImport,
} from '../../import-tracks.ts';
import { LineFile } from '../../line-file.ts';
import type { Output } from '../terminal/output.ts';
import { type ProgressBar, progressBar } from '../terminal/progress-bar.ts';

export interface ImportCommandOptions
  extends Omit<ImportRequest, 'paths' | 'mapFile' | 'mapFolder' | keyof ImportListeners> {
  map?: string;
  /** The NDJSON file of all rejections. */
  rejects?: string;
}

/** See docs/contract/operations.md#exit-codes. An import that cannot run throws an OperatorError. */
const EXIT_COMPLETE = 0;
const EXIT_REJECTED = 2;
/** The records were imported, but the prune was refused. */
const EXIT_PRUNE_REFUSED = 1;

/** Returns the exit code. */
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
  const exitCode = await runWithReport(report, context.clock, output, {
    run: async (listeners) => {
      result = await runTrackImport(context, { ...rest, ...listeners, mapFile: map, paths });
      return result.summary;
    },
    textOfSummary: (summary) => {
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

/** Returns the exit code. */
export function importLicenses(
  paths: readonly string[],
  context: ImportContext,
  output: Output,
  options: { rejects?: string } = {},
): Promise<number> {
  return runWithReport({ file: options.rejects, inputs: paths }, context.clock, output, {
    run: (listeners) =>
      importLicenseRecords({
        ...listeners,
        paths,
        licenses: context.store.licenses,
        catalog: context.store.catalog,
        clients: context.store.clients,
        by: context.by,
      }),
    textOfSummary: (summary) => `Read ${counted(summary.read, 'license')}: ${countsOf(summary)}.`,
  });
}

type ImportListeners = Required<
  Pick<ImportRequest, 'onReading' | 'onRejection' | 'onNote' | 'onProgress'>
>;

/** Runs an import with a progress bar. Prints rejections as they occur, and the summary at the end. */
async function runWithReport(
  rejects: { file: string | undefined; inputs: readonly string[] },
  clock: Clock,
  output: Output,
  {
    run,
    textOfSummary,
  }: {
    run: (listeners: ImportListeners) => Promise<ImportSummary>;
    textOfSummary: (summary: ImportSummary) => string;
  },
): Promise<number> {
  const bar = progressBar(output.terminal, clock);
  const report = await openRejectionReport(rejects.file, rejects.inputs, output, bar);
  try {
    const summary = await run({
      onReading: (reading) =>
        output.note(`${reading.path}: ${reading.format}, ${readingName(reading)}`),
      onRejection: report.add,
      onNote: (note) => bar.around(() => output.warn(printableLine(note))),
      onProgress: ({ reading, ...progress }) =>
        bar.show(reading === undefined ? progress : { ...progress, label: readingName(reading) }),
    });
    bar.clear();
    report.finish();
    output.result(summary, () => textOfSummary(summary));
    return summary.rejected > 0 ? EXIT_REJECTED : EXIT_COMPLETE;
  } finally {
    bar.clear();
    report.close();
  }
}

function countsOf({ created, updated, unchanged, rejected }: ImportSummary): string {
  return `${created} created, ${updated} updated, ${unchanged} unchanged, ${rejected} rejected`;
}

/** Further rejections are not printed: in a broken catalog, a million records have the same one. */
const MAX_PRINTED = 100;

/**
 * Prints the first rejections, and writes all of them as NDJSON to the file, if one is given.
 * Throws OperatorError if the file cannot be written or is one of the inputs. The caller must close it.
 */
async function openRejectionReport(
  file: string | undefined,
  inputs: readonly string[],
  output: Output,
  bar: ProgressBar,
) {
  if (file !== undefined) await refuseInput(file, inputs);
  const all = file === undefined ? undefined : new LineFile(file);
  let count = 0;
  return {
    add(rejection: Rejection, reading?: Reading): void {
      count++;
      if (count <= MAX_PRINTED) {
        bar.around(() => output.note(rejectionLine(rejection, reading)));
      }
      const read = reading && { mapping: reading.mapping, source: reading.source };
      all?.write(`${JSON.stringify({ ...rejection, ...read })}\n`);
    },
    /** Prints how many rejections were not printed. */
    finish(): void {
      if (count <= MAX_PRINTED) return;
      const hint = file === undefined ? '--rejects FILE lists all' : `all are in ${file}`;
      output.note(`… and ${count - MAX_PRINTED} more (${hint})`);
    },
    /** Throws OperatorError if the file does not contain all rejections. */
    close: () => all?.close(),
  };
}

/** Opening the file truncates it, so it must not be an input under any name. */
async function refuseInput(file: string, inputs: readonly string[]): Promise<void> {
  const identity = async (path: string) => {
    const found = await stat(path).catch(() => undefined);
    return found === undefined ? undefined : `${found.dev}:${found.ino}`;
  };
  const written = await identity(file);
  const read = await Promise.all(inputs.map(identity));
  if (written !== undefined && read.includes(written)) {
    throw new OperatorError(`--rejects would overwrite ${file}, which is read: name another file`);
  }
}

/** Formats `file:line: field: reason (mapping, source)`, safe for a terminal. */
function rejectionLine({ file, line, field, reason }: Rejection, reading?: Reading): string {
  const place = line === null ? file : `${file}:${line}`;
  const read = reading === undefined ? '' : ` (${readingName(reading)})`;
  return printableLine(`${place}: ${field === '' ? '' : `${field}: `}${reason}${read}`);
}

/** The unit of the position of a record; `record` for other formats. */
const COUNTERS: Partial<Record<Explanation['reading']['format'], string>> = {
  NDJSON: 'line',
  CSV: 'line',
  Excel: 'row',
};

/** The most lines of a section. The JSON form has everything. */
const MAX_LINES = 300;

export async function explainFile(options: ExplainOptions, output: Output): Promise<void> {
  const explanation = await explainImport(options);
  output.result(explanation, () => textOf(explanation));
}

function textOf(explanation: Explanation): string {
  const { path, facts, records, isWhole, first, rejected, unused, unread, notes } = explanation;
  const sampled = isWhole
    ? `read all ${counted(records, 'record')}`
    : `read the first ${counted(records, 'record')}; the counts below are those of them`;
  const counter = COUNTERS[explanation.reading.format] ?? 'record';
  const lines = [
    path,
    ...facts.map(({ what, is }) => `  ${what}: ${is}`),
    `  sample: ${sampled}`,
    ...section(
      first.length === records
        ? 'The tracks that an import would store'
        : `The first ${counted(first.length, 'track')} that an import would store`,
      first.flatMap(({ line, file, track, rejection }) => {
        const place = line === null ? file : `${counter} ${line}`;
        return rejection === null
          ? [`${place}:`, ...Object.entries(track!).map(([name, it]) => `  ${name}: ${shown(it)}`)]
          : [`${place}: rejected: ${reasonOf(rejection)}`];
      }),
    ),
    ...section(
      'Rejected records',
      rejected.map(
        (one) =>
          `${counted(one.records, 'record')}${one.line === null ? '' : `, the first in ${counter} ${one.line}`}: ${reasonOf(one)}`,
      ),
    ),
    ...section(
      'Values of which a rule makes nothing (this can be intended)',
      unread.map(
        ({ rule, member, records: count, example, line }) =>
          `${rule} from "${member}": in ${counted(count, 'record')}, such as ${describe(example)} in ${counter} ${line}`,
      ),
    ),
    ...section(
      'Members that nothing uses',
      unused.map(
        ({ member, records: count, example }) =>
          `"${member}": in ${counted(count, 'record')}, such as ${describe(example)}`,
      ),
    ),
    ...section('Notes', notes),
  ];
  return lines.join('\n');
}

function section(title: string, lines: readonly string[]): string[] {
  const more = lines.length - MAX_LINES;
  const kept = more > 0 ? lines.slice(0, MAX_LINES) : lines;
  return lines.length === 0
    ? []
    : [
        '',
        `${title}:`,
        ...kept.map((line) => `  ${line}`),
        ...(more > 0 ? [`  … and ${more} more (--json has all)`] : []),
      ];
}

function reasonOf({ field, reason }: { field: string; reason: string }): string {
  return field === '' ? reason : `${field}: ${reason}`;
}

/** Shows texts without quotation marks, and what is not a text as JSON. */
function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 300 ? `${text.slice(0, 299).toWellFormed()}…` : text;
}

/** Prints the mapping to stdout, and remarks to stderr. */
export async function suggestMapping(
  options: Parameters<typeof suggest>[0],
  output: Output,
): Promise<void> {
  const { mapping, remarks } = await suggest(options);
  // Escapes what the output would replace: control characters in names of columns.
  const text = JSON.stringify(mapping, null, 2).replace(
    /[\u007f-\u009f]/g,
    (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`,
  );
  output.result(mapping, () => text);
  for (const remark of remarks) output.note(remark);
  output.note(
    `check it with \`stave import ${options.path} --explain --map FILE\`, then with --dry-run`,
  );
}
