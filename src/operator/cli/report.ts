import { OperatorError } from '../../common/errors.ts';
import { printableLine } from '../../common/text/shown.ts';
import { shownQuote } from '../../features/licensing/quote.ts';
import { ClientNames, pastClientIdOf } from '../named.ts';
import { catalogSheet } from '../statements/catalog-sheet.ts';
import { headingsOf, type Sheet, sheetCsv } from '../statements/sheet.ts';
import {
  monthsOf,
  readStatement,
  type Statement,
  statementSheet,
} from '../statements/statement.ts';
import { licenseForScripts } from './licensing/licenses.ts';
import { command, group, type OutputOptions, outputOf, type Shell, withContext } from './shell.ts';
import { isoTime, notEmpty, withIsoTimes } from './terminal/arguments.ts';
import { writeNewFile } from './terminal/output.ts';
import { facts, table } from './terminal/table.ts';

interface FileOptions extends OutputOptions {
  out?: string;
}

const OUT = [
  '--out <file>',
  'write to this file, which must not exist: .pdf or .csv',
  notEmpty,
] as const;

export const reportCommand = group('report', 'Make statements of partners and of the catalog', [
  (shell) =>
    command(shell, 'partner', 'Show what a partner did in one or several months', {
      hasTable: true,
      description:
        'Its requests and errors, the usage that it reported, the licenses that it bought, the revenue by currency, and ' +
        'the quotes that were open at the end. Months are in UTC. Whatever was done with test secrets is left out. The amounts are those of `licenses export`.',
      examples: [
        ['stave report partner "Acme Video" --month 2026-11', 'for people'],
        ['stave report partner "Acme Video" --month 2026-11 --out acme.pdf', 'to send it'],
        ['stave report partner "Acme Video" --month 2026-01 --to 2026-12', 'a year'],
      ],
    })
      .argument('<name>', 'name or id of the client')
      .requiredOption('--month <month>', 'the month, or the first of several', notEmpty)
      .option('--to <month>', 'the last month; default: the first', notEmpty)
      .option(...OUT)
      .action(async (name: string, options: FileOptions & { month: string; to?: string }) => {
        const months = monthsOf({ first: options.month, last: options.to }, shell.clock.now());
        checkFile(options);
        const statement = await withContext(shell, async (context) =>
          readStatement(context, (await pastClientIdOf(context.store, name))!, months),
        );
        await print(shell, options, {
          sheet: statementSheet(statement),
          value: forScripts(statement),
        });
      }),
  (shell) =>
    command(shell, 'catalog', 'Count the tracks of each source, and what they lack', {
      hasTable: true,
      description:
        'All counts but that of taken-down tracks are of tracks that are live or unavailable. Duplicates are tracks that ' +
        'seem to be the same recording as another one, of any source: with the same ISRC, or the same name, an artist ' +
        'in common and the same length within two seconds. A coming switch is a change of availability. It reads all tracks: some seconds for a million of them.',
      examples: [
        ['stave report catalog', 'what to ask suppliers for'],
        ['stave report catalog --csv', 'for a program'],
      ],
    })
      .option(...OUT)
      .action(async (options: FileOptions) => {
        checkFile(options);
        const sources = await withContext(shell, ({ store }) => store.trackFinder.sourceCounts());
        await print(shell, options, {
          sheet: catalogSheet(sources, shell.clock.now()),
          value: sources.map(withIsoTimes),
        });
      }),
]);

/** Throws OperatorError for a file of another form. */
function checkFile({ out }: FileOptions): void {
  if (out === undefined || /\.(?:pdf|csv)$/i.test(out)) return;
  throw new OperatorError(`--out must end in .pdf or .csv, not ${JSON.stringify(out)}`);
}

/** @param made.value for scripts */
async function print(
  shell: Shell,
  options: FileOptions,
  { sheet, value }: { sheet: Sheet; value: unknown },
): Promise<void> {
  const output = outputOf(shell, options);
  const { out } = options;
  if (out === undefined) {
    output.result(value, () => forPeople(sheet));
    return;
  }
  // Fonts take most of the time of a start.
  const content = /\.pdf$/i.test(out)
    ? await (await import('../statements/sheet-pdf.ts')).sheetPdf(sheet)
    : sheetCsv(sheet);
  await writeNewFile(out, [content]);
  output.result({ file: out }, () => `wrote ${out}`);
}

function forPeople({ title, facts: about, tables }: Sheet): string {
  const sections = tables.map((one) => {
    const rows = one.rows.map((row) => row.map(String));
    const text = table(
      headingsOf(one).map((name) => name.toUpperCase()),
      rows,
    );
    const lines = [one.title, rows.length === 0 ? one.empty : text, one.note ?? ''];
    return lines.filter((line) => line !== '').join('\n');
  });
  return [`${printableLine(title)}\n${facts(about)}`, ...sections].join('\n\n');
}

function forScripts({ clientId, clientName, months, at, ...counts }: Statement): object {
  const { first: from, last: to, until, isOpen } = months;
  const names = new ClientNames(clientName === null ? [] : [{ id: clientId, name: clientName }]);
  return {
    ...{ clientId, clientName, from, to, until: isoTime(until), isOpen, at: isoTime(at) },
    ...counts,
    revenue: counts.revenue.map(({ clientId: _, ...one }) => one),
    licenses: counts.licenses.map((license) => licenseForScripts(license, names, at)),
    quotes: counts.quotes.map((quote) => shownQuote(quote, at)),
  };
}
