import { readFile, stat } from 'node:fs/promises';
import { OperatorError } from '../../../common/errors.ts';
import { counted } from '../../../common/text/shown.ts';
import {
  MAX_SYNONYM_BYTES,
  parseSynonyms,
  type Synonym,
  shippedSynonyms,
} from '../../../features/briefs/synonyms.ts';
import { command, group, outputOf, withContext } from '../shell.ts';
import { listOf } from '../terminal/table.ts';

const synonyms = group('synonyms', 'Say which filters and tags words of briefs mean', [
  (shell) =>
    command(shell, 'import', 'Replace your synonyms by those of a file', {
      description:
        'The file is CSV with the heading "term,names". Each line has a term, or several with | between them, and then the names of filters or tags that it means. ' +
        'A * at the end of a term stands for up to three letters, and a ~ in front marks a weak hint, which weighs half as much. Your terms replace equal ones that Stave comes with. A file with only the heading removes yours. `stave brief synonyms list --shipped --csv` prints those that Stave comes with in this form.',
      examples: [['stave brief synonyms import synonyms.csv', 'briefs use them in a second']],
    })
      .argument('<file>', 'CSV file of synonyms')
      .action(async (path: string, options) => {
        const read = await readSynonyms(path);
        await withContext(shell, ({ store, by }) => store.synonyms.replace(read, by));
        outputOf(shell, options).result(
          { synonyms: read.length },
          () => `${counted(read.length, 'synonym')} imported`,
        );
      }),
  (shell) =>
    command(shell, 'list', 'List your synonyms, or those that Stave comes with', {
      hasTable: true,
      examples: [['stave brief synonyms list', 'your synonyms, one term in each line']],
    })
      .option('--shipped', 'those that Stave comes with')
      .prints(
        async ({ store }, { shipped = false }: { shipped?: boolean }) => ({
          items: shipped ? [...shippedSynonyms()] : await store.synonyms.all(),
        }),
        ({ items }) =>
          listOf(items, 'no synonyms', {
            TERM: 'term',
            NAMES: ({ names }: Synonym) => names.join('|'),
          }),
      ),
]);

export const briefCommand = group('brief', 'Set up how briefs of searches are understood', [
  synonyms,
]);

/** Throws OperatorError with what is wrong in each line. */
async function readSynonyms(path: string): Promise<Synonym[]> {
  const { size } = await stat(path);
  if (size > MAX_SYNONYM_BYTES) {
    throw new OperatorError(`${path} is larger than ${MAX_SYNONYM_BYTES / 1024 / 1024} MiB`);
  }
  const read = parseSynonyms(await readFile(path, 'utf8'));
  if ('problems' in read) {
    throw new OperatorError(`${path} changes nothing; ${read.problems.join('; ')}`);
  }
  return read.synonyms;
}
