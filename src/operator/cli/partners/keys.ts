import { rotateKeys } from '../../../features/access/key-ring.ts';
import { setConsolePassword } from '../../../features/access/operators.ts';
import { listKeys, rotateLicenseKeys } from '../../../features/licensing/license-keys.ts';
import { command, group, outputOf, withContext } from '../shell.ts';
import { shownTime, withIsoTimes } from '../terminal/arguments.ts';
import { askSecret, readSecret } from '../terminal/ask.ts';
import { listOf } from '../terminal/table.ts';

const SUMMARY = 'Show and replace the keys that sign tokens and URLs, or certificates';

export const keysCommand = group('keys', SUMMARY, [
  (shell) =>
    command(shell, 'list', 'List the keys without their secrets, newest first', {
      hasTable: true,
      examples: [['stave keys list', 'which keys sign, and since when']],
    }).prints(
      ({ store }) => listKeys(store),
      (keys) =>
        listOf(keys, '', {
          KEY: 'id',
          SIGNS: 'purpose',
          CREATED: 'createdAt',
          STATE: ({ retiredAt }) =>
            retiredAt === null ? 'signs' : `replaced ${shownTime(retiredAt)}`,
        }),
      (keys) =>
        keys.map(({ createdAt, retiredAt, ...key }) =>
          withIsoTimes({ ...key, createdAt, retiredAt }),
        ),
    ),
  (shell) =>
    command(shell, 'rotate', 'Sign tokens and URLs, or certificates, with new keys from now on', {
      description:
        'Issued tokens and URLs stay valid until they expire, at most an hour. Issued certificates stay valid: the keys of certificates are published forever.',
      examples: [
        ['stave keys rotate', 'a running service uses them within a second'],
        ['stave keys rotate --licenses', 'the same for the certificates of licenses'],
      ],
    })
      .option('--licenses', 'replace the keys of certificates instead of the other ones')
      .prints(
        async ({ store, clock, by }, { licenses }: { licenses?: boolean }) => {
          if (licenses !== true) return rotateKeys({ keys: store.keys, clock }, by);
          const { live, test } = await rotateLicenseKeys({ keys: store.licenseKeys, clock }, by);
          return { liveKeyId: live, testKeyId: test };
        },
        (keys) =>
          'liveKeyId' in keys
            ? `new keys: ${keys.liveKeyId} for certificates, ${keys.testKeyId} for test certificates`
            : `new keys: ${keys.tokenKeyId} for tokens, ${keys.urlKeyId} for URLs`,
      ),
]);

export const consoleCommand = group('console', 'Set the password of the owner `console`', [
  (shell) =>
    command(shell, 'password', 'Set the password of the owner `console`, and end the sessions', {
      description:
        'Asks for the password on the terminal, without showing it. It must have 15 to 256 characters. Stave stores only ' +
        'a hash. If there is no operator `console`, the command adds one as an owner. `stave operators add` adds others, ' +
        'each with a password of their own. `STAVE_CONSOLE_PORT` switches the console on.',
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
          () => 'the password of the operator console is set, and the sessions are ended',
        );
      }),
]);
