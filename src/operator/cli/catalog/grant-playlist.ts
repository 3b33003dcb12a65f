import type { Command } from 'commander';
import { grantPlaylist, revokePlaylist } from '../../../features/playlists/playlists.ts';
import { command, outputOf, type Shell, withContext } from '../shell.ts';

/** `stave playlists grant` and `stave playlists revoke`. */
export function grantPlaylistCommand(shell: Shell, name: 'grant' | 'revoke'): Command {
  const grants = name === 'grant';
  const summary = grants ? 'Let a client see a playlist' : 'Hide a playlist from a client again';
  return command(name, summary, {
    examples: [
      [
        `stave playlists ${name} night-drive --client 0b6c…`,
        `\`stave clients list\` shows the ids; ${grants ? 'granting' : 'revoking'} twice is fine`,
      ],
    ],
  })
    .argument('<playlist>', 'slug or id of the playlist')
    .requiredOption('-c, --client <id>', 'id of the client')
    .action(async (playlist: string, options) => {
      const service = grants ? grantPlaylist : revokePlaylist;
      const { playlist: found, changed } = await withContext(shell, (context) =>
        service(context, playlist, options.client),
      );
      const { id, slug } = found;
      const state = grants ? 'granted to' : 'not granted to';
      outputOf(shell, options).result(
        { id, slug, clientId: options.client, granted: grants, changed },
        () => `${slug} ${changed ? 'is now' : 'was already'} ${state} ${options.client}`,
      );
    });
}
