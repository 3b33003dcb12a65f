import type { Command } from 'commander';
import { command, group, inHouse, outputOf, type Shell } from './shell.ts';

/** `stave demo remove`. */
export function demoCommand(shell: Shell): Command {
  return group('demo', 'Look after the demo catalog', [
    command('remove', 'Remove the demo catalog, its client and its media without a trace', {
      description: 'What you imported or made yourself stays. It is not loaded again.',
      examples: [['stave demo remove', 'before the first real import, or after it']],
    }).action(async (options) => {
      const { removeDemo } = await import('../demo/remove.ts');
      const removed = await inHouse(shell, (house) => removeDemo(house));
      outputOf(shell, options).result(removed, () => {
        const { tracks, playlists, clients, mediaFiles } = removed;
        return tracks + playlists + clients + mediaFiles === 0
          ? 'there was nothing of the demo to remove; it will not be loaded again'
          : `removed ${tracks} tracks, ${playlists} playlists, ${clients} clients and ${mediaFiles} media files of the demo`;
      });
    }),
  ]);
}
