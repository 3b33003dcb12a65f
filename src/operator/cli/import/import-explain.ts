import { counted } from '../../../common/text/counted.ts';
import {
  type ExplainOptions,
  type Explanation,
  explainImport,
} from '../../../features/import/explain/explain.ts';
import { describe } from '../../../features/import/record.ts';
import { suggestMapping as suggest } from '../../../features/import/suggest/suggest.ts';
import type { Output } from '../terminal/output.ts';

/** What the position of a record counts, if it does not count records. */
const COUNTERS: Partial<Record<Explanation['reading']['format'], string>> = {
  NDJSON: 'line',
  CSV: 'line',
  Excel: 'row',
};

/** Lines of a section. The JSON form has everything. */
const MAX_LINES = 300;

/** `stave import --explain`: prints how the import reads a file. */
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

/** `stave import --suggest-map`: prints a mapping to stdout, and remarks to stderr. */
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
  for (const remark of remarks) {
    output.note(remark);
  }
  output.note(
    `check it with \`stave import ${options.path} --explain --map FILE\`, then with --dry-run`,
  );
}
