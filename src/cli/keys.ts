import type { Command } from 'commander';
import { rotateKeys } from '../access/key-ring.ts';
import { command, group, outputOf, type Shell, withContext } from './shell.ts';

/** `stave keys rotate`. */
export function keysCommand(shell: Shell): Command {
  return group('keys', 'Replace the keys that sign tokens and URLs', [
    command('rotate', 'Sign tokens and URLs with new keys from now on', {
      description: 'Issued tokens and URLs stay valid until they expire, at most an hour.',
      examples: [['stave keys rotate', 'a running service uses them within a second']],
    }).action(async (options) => {
      const rotated = await withContext(shell, ({ store, clock, by }) =>
        rotateKeys({ keys: store.keys, clock }, by),
      );
      outputOf(shell, options).result(
        rotated,
        () => `new keys: ${rotated.tokenKeyId} for tokens, ${rotated.urlKeyId} for URLs`,
      );
    }),
  ]);
}
