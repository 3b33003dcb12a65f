import type { Command } from 'commander';
import { rotateKeys } from '../access/key-ring.ts';
import { command, group, inHouse, outputOf, type Shell } from './shell.ts';

/** `stave keys rotate`. */
export function keysCommand(shell: Shell): Command {
  return group('keys', 'Look after the keys that sign tokens and URLs', [
    command('rotate', 'Sign tokens and URLs with new keys from now on', {
      description:
        'Nobody is logged out: what the old keys signed stays good for its time, an hour at most.',
      examples: [['stave keys rotate', 'a running service follows within a second']],
    }).action(async (options) => {
      const rotated = await inHouse(shell, ({ store, clock, by }) =>
        rotateKeys({ keys: store.keys, clock }, by),
      );
      outputOf(shell, options).result(
        rotated,
        () => `new keys: ${rotated.tokenKeyId} for tokens, ${rotated.urlKeyId} for URLs`,
      );
    }),
  ]);
}
