import type { Command } from 'commander';
import { command, outputOf, type Shell, withContext } from '../shell.ts';
import { table } from '../terminal/table.ts';

/** `stave languages`: the languages of translations. */
export function languagesCommand(shell: Shell): Command {
  return command('languages', 'Show the languages of names, tags and descriptions', {
    examples: [['stave languages', 'counts live tracks, filters and playlists with a translation']],
  }).action(async (options) => {
    const { items, original } = await withContext(shell, async ({ store, config }) => ({
      items: await store.languages.counts(),
      original: config.catalogLanguage,
    }));
    outputOf(shell, options).result({ items, original }, () =>
      [
        items.length === 0
          ? 'no translations'
          : table(
              ['LANGUAGE', 'TRACKS', 'FILTERS', 'PLAYLISTS'],
              items.map(({ language, tracks, filters, playlists }) => [
                language,
                String(tracks),
                String(filters),
                String(playlists),
              ]),
            ),
        `original: ${original}`,
      ].join('\n'),
    );
  });
}
