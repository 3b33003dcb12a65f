import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { OperatorError } from '../../../common/errors.ts';
import { isObject } from '../../../common/text/json.ts';
import { counted } from '../../../common/text/shown.ts';
import { canonicalText, MAX_NAME_LENGTH } from '../../../features/import/canonical/text.ts';
import { canonicalLanguage, isLanguageTag } from '../../../features/languages/languages.ts';
import {
  type FilterTranslation,
  MAX_TRANSLATED_FILTERS,
} from '../../../features/languages/translations.ts';
import { command, group, outputOf, type Shell, withContext } from '../shell.ts';
import { listOf } from '../terminal/table.ts';

export function languagesCommand(shell: Shell): Command {
  return command(shell, 'languages', 'Show the languages of names, tags and descriptions', {
    hasTable: true,
    examples: [['stave languages', 'counts live tracks, filters and playlists with a translation']],
  }).prints(
    async ({ store, config }) => ({
      items: await store.languages.counts(),
      original: config.catalogLanguage,
    }),
    ({ items, original }) =>
      [
        listOf(items, 'no translations', {
          LANGUAGE: 'language',
          TRACKS: 'tracks',
          FILTERS: 'filters',
          PLAYLISTS: 'playlists',
        }),
        `original: ${original}`,
      ].join('\n'),
  );
}

const SUMMARY = 'Translate the names of genres, moods and use-cases';

export const filtersCommand = group('filters', SUMMARY, [
  (shell) =>
    command(shell, 'translate', 'Set names of filters in other languages, all or none', {
      description:
        'Each line of the file is {"filter": SLUG OR ID, "language": TAG, "name": TEXT}. With "name": null, the name is removed.',
      examples: [
        ['stave filters translate names.ndjson', 'partners with localization see them in a second'],
      ],
    })
      .argument('<file>', 'NDJSON file of names')
      .action(async (path: string, options) => {
        const names = await readNames(path);
        const changed = await withContext(shell, ({ store, by }) =>
          store.languages.translateFilters(names, by),
        );
        outputOf(shell, options).result(
          { names: names.length, changed },
          () => `${counted(names.length, 'name')} read, ${counted(changed, 'filter')} changed`,
        );
      }),
]);

/** Checks the whole file first, so that a file with a wrong line changes nothing. */
async function readNames(path: string): Promise<FilterTranslation[]> {
  const names: FilterTranslation[] = [];
  const problems: string[] = [];
  let number = 0;
  for await (const line of createInterface({
    input: createReadStream(path),
    crlfDelay: Infinity,
  })) {
    number++;
    if (line.trim() === '') continue;
    const name = nameOf(line);
    if (typeof name === 'string') problems.push(`line ${number}: ${name}`);
    else names.push(name);
    if (names.length > MAX_TRANSLATED_FILTERS) {
      throw new OperatorError(`${path} has more than ${MAX_TRANSLATED_FILTERS} names: divide it`);
    }
    if (problems.length === MAX_PROBLEMS) break;
  }
  if (problems.length > 0)
    throw new OperatorError(`${path} changes nothing; ${problems.join('; ')}`);
  return names;
}

const MAX_PROBLEMS = 10;

/** Returns the name of a line, or what is wrong with it. */
function nameOf(line: string): FilterTranslation | string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return 'must be a JSON object';
  }
  if (!isObject(value)) {
    return 'must be a JSON object';
  }
  const { filter, language, name, ...others } = value;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return `${JSON.stringify(unknown)} is not a member`;
  if (typeof filter !== 'string' || filter === '') return 'filter must be a slug or an id';
  if (typeof language !== 'string' || !isLanguageTag(language)) {
    return 'language must be a language tag such as de or pt-BR';
  }
  if (name === null) return { filter, language: canonicalLanguage(language), name };
  if (typeof name !== 'string') return 'name must be a text, or null';
  let problem: string | undefined;
  const text = canonicalText(name, 'name', MAX_NAME_LENGTH, (field, message) => {
    problem = `${field} ${message}`;
  });
  if (problem !== undefined) return problem;
  if (text === '') return 'name must not be empty';
  return { filter, language: canonicalLanguage(language), name: text };
}
