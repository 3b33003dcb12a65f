import { Option } from 'commander';
import type { AppContext } from '../../../app/open/context.ts';
import { OperatorError } from '../../../common/errors.ts';
import { ROLES } from '../../../features/access/operator.ts';
import {
  addOperator,
  changeOperator,
  type LinkedOperator,
  type OperatorRecord,
  recordOf,
  removeOperator,
  resetOperator,
} from '../../../features/access/operators.ts';
import { findConsoleAddress } from '../../console-address.ts';
import {
  type CatalogCommand,
  command,
  group,
  outputOf,
  type Shell,
  withContext,
} from '../shell.ts';
import { shownTime, withIsoTimes } from '../terminal/arguments.ts';
import { facts, listOf } from '../terminal/table.ts';

const NAME = ['<name>', 'name of the operator; in lower case'] as const;
const SHOWN_ONCE = 'The link works once, within seven days. Stave stores only a hash of it.';
const NO_ADDRESS =
  'The link is without the address of the console: set STAVE_CONSOLE_URL or STAVE_CONSOLE_PORT.';
const SUMMARY = 'Add the people who use the console, set what they may do';

export const operatorsCommand = group('operators', SUMMARY, [
  (shell) =>
    withRole(
      command(shell, 'add', 'Add an operator, and print a link to set a password', {
        description: `Roles: a viewer reads and changes nothing, an operator does the daily work, and only an owner may use operators, keys, backups and paths on the server. ${SHOWN_ONCE} With STAVE_CONSOLE_PASSWORDS=off, there is no link: the name is what the proxy gives.`,
        examples: [
          ['stave operators add anna --role owner', 'prints a link for Anna'],
          [
            'stave operators add ben@example.com --role viewer --json',
            '{"name", "role", "link", …}',
          ],
        ],
      }),
    )
      .argument(...NAME)
      .action((name, { role, ...options }) =>
        printLink(shell, options, (context) =>
          addOperator(context, { name, role, hasLink: context.config.consolePasswords }),
        ),
      ),
  (shell) =>
    command(shell, 'list', 'List the operators, by name', {
      hasTable: true,
      examples: [['stave operators list', 'who may do what, and who has logged in']],
    }).prints(
      async ({ store }) => (await store.operators.all()).map(recordOf),
      (all) =>
        listOf(all, 'no operators; `stave operators add` adds one', {
          NAME: 'name',
          ROLE: 'role',
          STATE: stateOf,
          PASSWORD: ({ hasPassword }) => (hasPassword ? 'set' : 'none'),
          'LINK UNTIL': 'linkExpiresAt',
          'LAST LOGIN': 'lastLoginAt',
          ADDED: 'createdAt',
        }),
      (all) => all.map((one) => withIsoTimes(one)),
    ),
  (shell) =>
    withRole(
      command(shell, 'update', 'Change the role of an operator', {
        description:
          'A lower role ends the sessions at once. The last owner who can sign in keeps the role.',
        examples: [['stave operators update anna --role operator', 'Anna may do the daily work']],
      }),
    )
      .argument(...NAME)
      .prints(
        (context: AppContext, name: string, { role }: { role: string }) =>
          changeOperator(context, name, { role }),
        told,
        (one) => withIsoTimes(one),
      ),
  (shell) => change(shell, 'disable', 'End the sessions and the link of an operator'),
  (shell) => change(shell, 'enable', 'Let an operator log in again'),
  (shell) =>
    command(shell, 'remove', 'Remove an operator, and end the sessions', {
      description:
        'The change log keeps the name. The last owner who can sign in cannot be removed.',
      examples: [['stave operators remove anna', 'Anna can no longer log in']],
    })
      .argument(...NAME)
      .prints(
        async (context, name: string) => {
          await removeOperator(context, name);
          return { name, removed: true };
        },
        ({ name }) => `${name} is removed`,
      ),
  (shell) =>
    command(shell, 'reset', 'Print a new link to set a password', {
      description: `It ends an earlier link, and wrong passwords that were given before no longer count. The password stays until the link is used: \`disable\` ends it at once. ${SHOWN_ONCE}`,
      examples: [['stave operators reset anna', 'for a password that Anna has forgotten']],
    })
      .argument(...NAME)
      .action((name, options) =>
        printLink(shell, options, (context) => {
          if (context.config.consolePasswords) return resetOperator(context, name);
          throw new OperatorError('passwords are off (STAVE_CONSOLE_PASSWORDS)');
        }),
      ),
]);

function withRole(made: CatalogCommand): CatalogCommand {
  const role = new Option('--role <role>', 'what the operator may do').choices(ROLES);
  return made.addOption(role.makeOptionMandatory());
}

function change(shell: Shell, kind: 'disable' | 'enable', summary: string): CatalogCommand {
  return command(shell, kind, summary, {
    examples: [[`stave operators ${kind} anna`, 'takes effect at once']],
  })
    .argument(...NAME)
    .prints(
      (context: AppContext, name: string) =>
        changeOperator(context, name, { enabled: kind === 'enable' }),
      told,
      (one) => withIsoTimes(one),
    );
}

async function printLink(
  shell: Shell,
  options: object,
  work: (context: AppContext) => Promise<LinkedOperator>,
): Promise<void> {
  const { base, made } = await withContext(shell, async (context) => ({
    base: await findConsoleAddress(context),
    made: await work(context),
  }));
  const { linkPath, ...record } = made;
  const link = linkPath && (base ?? '') + linkPath;
  const output = outputOf(shell, options);
  output.result({ ...withIsoTimes(record), link }, () =>
    facts([
      ['name', record.name],
      ['role', record.role],
      ['link', link ?? ''],
    ]),
  );
  if (link === null) return;
  output.note(SHOWN_ONCE);
  if (base === null) output.note(NO_ADDRESS);
}

function told(one: OperatorRecord): string {
  return `${one.name}: ${one.role}, ${stateOf(one)}${one.lastLoginAt === null ? '' : `, last login ${shownTime(one.lastLoginAt)}`}`;
}

function stateOf({ enabled }: OperatorRecord): string {
  return enabled ? 'enabled' : 'disabled';
}
