import type { Command } from 'commander';
import { setConsolePassword } from '../../../features/access/console-password.ts';
import { command, group, outputOf, type Shell, withContext } from '../shell.ts';
import { askSecret, readSecret } from '../terminal/ask-secret.ts';

/** `stave console password`. */
export function consoleCommand(shell: Shell): Command {
  return group('console', 'Set the password of the console for the operator', [
    command('password', 'Set the password of the console, and end all its sessions', {
      description:
        'Asks for the password on the terminal, without showing it. It must have at least 12 characters. Stave stores only ' +
        'a hash. `STAVE_CONSOLE_PORT` switches the console on.',
      examples: [
        ['stave console password', 'a running service takes it at once'],
        ['pass show stave | stave console password --stdin', 'from another program'],
      ],
    })
      .option('--stdin', 'read the password from standard input instead')
      .action(async ({ stdin, ...options }) => {
        const question = {
          question: 'New password',
          again: 'Once more',
          option: '--stdin, and the password on standard input',
        };
        const password =
          stdin === true ? await readSecret(shell) : await askSecret(shell, question);
        await withContext(shell, (context) => setConsolePassword(context, password));
        outputOf(shell, options).result(
          { changed: true },
          () => 'the password is set, and all sessions of the console are ended',
        );
      }),
  ]);
}
