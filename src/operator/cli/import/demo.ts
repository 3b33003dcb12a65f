import type { Command } from 'commander';
import { counted } from '../../../common/text/counted.ts';
import { command, group, outputOf, type Shell, withContext } from '../shell.ts';

/** `stave demo remove`. */
export function demoCommand(shell: Shell): Command {
  return group('demo', 'Remove the demo catalog', [
    command('remove', 'Remove the demo catalog, its clients and its media completely', {
      description:
        'Its rate card is withdrawn. Your own imports, playlists and clients stay. No later start loads the demo again.',
      examples: [['stave demo remove', 'before the first real import, or after it']],
    }).action(async (options) => {
      const { removeDemo } = await import('../../../features/demo/remove.ts');
      const removed = await withContext(shell, (context) => removeDemo(context));
      outputOf(shell, options).result(removed, () => {
        const { tracks, playlists, clients, mediaFiles } = removed;
        return tracks + playlists + clients + mediaFiles === 0
          ? 'there was no demo to remove; no later start loads it'
          : `removed ${counted(tracks, 'track')}, ${counted(playlists, 'playlist')}, ${counted(clients, 'client')} and ${counted(mediaFiles, 'media file')} of the demo`;
      });
    }),
  ]);
}
