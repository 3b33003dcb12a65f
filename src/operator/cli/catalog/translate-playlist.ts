import type { Command } from 'commander';
import { OperatorError } from '../../../common/operator-error.ts';
import { canonicalLanguage, isLanguageTag } from '../../../features/languages/languages.ts';
import { translatePlaylist } from '../../../features/playlists/playlists.ts';
import { command, outputOf, type Shell, withContext } from '../shell.ts';

/** `stave playlists translate`: the name and the description of a playlist in another language. */
export function translatePlaylistCommand(shell: Shell): Command {
  return command(
    'translate',
    'Set the name and the description of a playlist in another language',
    {
      examples: [
        ['stave playlists translate night-drive --language de --name Nachtfahrt', 'in German'],
        ['stave playlists translate night-drive --language de --remove', 'the original again'],
      ],
    },
  )
    .argument('<playlist>', 'slug or id of the playlist')
    .requiredOption('-l, --language <tag>', 'language tag, such as de or pt-BR', languageTag)
    .option('-n, --name <name>', 'the name in this language')
    .option('-d, --description <text>', 'the description; if absent, the original is shown')
    .option('--remove', 'remove both')
    .action(async (playlist: string, options) => {
      const { language, name, description, remove = false } = options;
      if (remove ? (name ?? description) !== undefined : name === undefined) {
        throw new OperatorError('give either --name, with or without --description, or --remove');
      }
      const text = remove ? null : { name, description: description ?? null };
      const { playlist: found, changed } = await withContext(shell, (context) =>
        translatePlaylist(context, playlist, language, text),
      );
      const { id, slug } = found;
      outputOf(shell, options).result({ id, slug, language, changed }, () =>
        changed ? `translated ${slug} (${language})` : `${slug} is the same already (${language})`,
      );
    });
}

/** Returns the canonical form of a language tag. */
function languageTag(text: string): string {
  if (!isLanguageTag(text)) {
    throw new OperatorError('--language must be a language tag such as de or pt-BR');
  }
  return canonicalLanguage(text);
}
