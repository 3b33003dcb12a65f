import { type Command, InvalidArgumentError, Option } from 'commander';
import { MODES, SEAT_ROLES } from '../../../common/caller.ts';
import { DAY_MS, HOUR_MS } from '../../../common/clock.ts';
import { OperatorError } from '../../../common/errors.ts';
import { counted } from '../../../common/text/shown.ts';
import type { SeatChange, SeatRecord } from '../../../features/access/seat.ts';
import { createSeat, linkSeat, type NewLink, updateSeat } from '../../../features/access/seats.ts';
import { clientIdOf, clientNames } from '../../named.ts';
import { command, group, outputOf, type Shell, withContext } from '../shell.ts';
import { notEmpty, shownTime, withIsoTimes } from '../terminal/arguments.ts';
import type { Output } from '../terminal/output.ts';
import { facts, listOf } from '../terminal/table.ts';

const CLIENT = ['<client>', 'id of the client, or its name if no other client has it'] as const;
const SEAT = ['<seat>', 'id of the seat'] as const;
const NAME = ['-n, --name <name>', 'name of the person, of 1 to 80 characters', notEmpty] as const;
const VALID = [
  '--valid <time>',
  'how long the link can be used: 1h to 30d; default: 7d',
  validTime,
] as const;
const LINK_ONCE =
  'Shown once: send it to the person now. It works once, and Stave stores only a hash.';
const NO_ADDRESS =
  'The link leads to this machine only, because the address of the service is not known: set STAVE_PUBLIC_URL, and make a new one.';

const role = () =>
  new Option('-r, --role <role>', 'a buyer may license, a listener may not').choices([
    ...SEAT_ROLES,
  ]);
const mode = () => new Option('-m, --mode <mode>', 'mode of its tokens').choices([...MODES]);

export const seatsCommand = group(
  'seats',
  'Let people of clients sign in to the explorer by links',
  [
    (shell) =>
      command(shell, 'create', 'Create a seat, and its first sign-in link', {
        examples: [
          ['stave seats create "Acme Video" Ana --role buyer', 'prints the link'],
          ['stave seats create 0b6c… Ana --role listener --mode test --json', '{"id", "url", …}'],
        ],
      })
        .argument(...CLIENT)
        .argument('<name>', 'name of the person, of 1 to 80 characters')
        .addOption(role().makeOptionMandatory())
        .addOption(mode().default('live'))
        .option(...VALID)
        .action(async (idOrName: string, name: string, options) => {
          const { valid: validMs } = options;
          const { seat, link } = await withContext(shell, async (context) =>
            createSeat(context, await clientIdOf(context.store, idOrName), {
              ...{ name, role: options.role, mode: options.mode, validMs },
            }),
          );
          const output = outputOf(shell, options);
          output.result({ ...forScripts(seat), ...linkForScripts(link) }, () =>
            facts([['seat id', seat.id], ...linkFacts(link)]),
          );
          noteLink(output, link);
        }),
    (shell) =>
      command(shell, 'list', 'List seats, oldest first', {
        hasTable: true,
        examples: [
          ['stave seats list', 'of all clients'],
          ['stave seats list "Acme Video"', 'of one client'],
        ],
      })
        .argument('[client]', CLIENT[1])
        .prints(
          async ({ store }, idOrName: string | undefined) => {
            const clientId = idOrName && (await clientIdOf(store, idOrName));
            return {
              seats: await store.seats.records(clientId),
              names: await clientNames(store),
            };
          },
          ({ seats, names }) =>
            listOf(seats, 'no seats', {
              ID: 'id',
              CLIENT: ({ clientId }) => names.label(clientId),
              ...{ NAME: 'name', ROLE: 'role', MODE: 'mode' },
              ENABLED: ({ enabled }) => (enabled ? 'yes' : 'no'),
              'LAST USED': ({ lastUsedAt }) => (lastUsedAt === null ? '' : shownTime(lastUsedAt)),
              SESSIONS: 'sessions',
            }),
          ({ seats }) => seats.map(forScripts),
        ),
    (shell) =>
      command(shell, 'update', 'Change the name, the role or the mode of a seat', {
        description: 'A lower role and another mode end its tokens within a second.',
        examples: [['stave seats update 0193… --role listener', 'it may no longer license']],
      })
        .argument(...SEAT)
        .option(...NAME)
        .addOption(role())
        .addOption(mode())
        .action(async (id: string, { json, ...change }: SeatChange & { json?: boolean }) => {
          if (Object.keys(change).length === 0) {
            throw new OperatorError('nothing to change: give --name, --role or --mode');
          }
          const seat = await withContext(shell, (context) =>
            updateSeat(context, id.toLowerCase(), change),
          );
          outputOf(shell, { json: json === true }).result(forScripts(seat), () => forPeople(seat));
        }),
    (shell) => setEnabled(shell, 'disable'),
    (shell) => setEnabled(shell, 'enable'),
    (shell) =>
      command(shell, 'remove', 'Remove a seat: its sessions and tokens end within a second', {
        description: 'Quotes, licenses, collections and notes keep the name.',
        examples: [['stave seats remove 0193…', '`stave seats list` shows the ids']],
      })
        .argument(...SEAT)
        .prints(
          async ({ store, by }, id: string) => {
            await store.seats.remove(id.toLowerCase(), by);
            return { id: id.toLowerCase() };
          },
          ({ id }) => `${id} is removed`,
        ),
    (shell) =>
      command(shell, 'link', 'Make a new sign-in link, which ends the unused one', {
        description: 'Sessions stay signed in.',
        examples: [['stave seats link 0193… --valid 12h', 'for a further browser']],
      })
        .argument(...SEAT)
        .option(...VALID)
        .action(async (id: string, options: { valid?: number; json?: boolean }) => {
          const link = await withContext(shell, (context) =>
            linkSeat(context, id.toLowerCase(), options.valid),
          );
          const output = outputOf(shell, options);
          output.result({ id: id.toLowerCase(), ...linkForScripts(link) }, () =>
            facts(linkFacts(link)),
          );
          noteLink(output, link);
        }),
    (shell) =>
      command(shell, 'end-sessions', 'Sign a seat out of all browsers, within a second', {
        description: 'An unused link stays: `stave seats link` replaces it.',
        examples: [['stave seats end-sessions 0193…', 'after the loss of a computer']],
      })
        .argument(...SEAT)
        .prints(
          async ({ store, by }, id: string) => ({
            id: id.toLowerCase(),
            ended: await store.seats.endSessions(id.toLowerCase(), by),
          }),
          ({ ended }) => `${counted(ended, 'session')} ended`,
        ),
  ],
);

function setEnabled(shell: Shell, name: 'disable' | 'enable'): Command {
  const enabled = name === 'enable';
  const summary = enabled
    ? 'Enable a disabled seat'
    : 'Disable a seat: its sessions, tokens and link end within a second';
  return command(shell, name, summary, {
    examples: [
      [`stave seats ${name} 0193…`, enabled ? 'make a link then' : '`enable` reverses this'],
    ],
  })
    .argument(...SEAT)
    .prints(
      async ({ store, by }, id: string) => ({
        ...{ id: id.toLowerCase(), enabled },
        changed: await store.seats.setEnabled(id.toLowerCase(), enabled, by),
      }),
      ({ id, changed }) => `${id} ${changed ? 'is now' : 'was already'} ${name}d`,
    );
}

function validTime(text: string): number {
  const [, count, unit] = /^(\d{1,4})([hd])$/.exec(text) ?? [];
  if (count === undefined) {
    throw new InvalidArgumentError('It must be hours or days, such as 12h or 7d.');
  }
  return Number(count) * (unit === 'h' ? HOUR_MS : DAY_MS);
}

function forScripts({ linkExpiresAt, ...seat }: SeatRecord) {
  return withIsoTimes({ ...seat, linkExpiresAt });
}

function forPeople(seat: SeatRecord): string {
  return facts([
    ['seat id', seat.id],
    ['name', seat.name],
    ['role', seat.role],
    ['mode', seat.mode],
    ['enabled', seat.enabled ? 'yes' : 'no'],
  ]);
}

function linkForScripts({ url, expiresAt }: NewLink) {
  return withIsoTimes({ url, expiresAt });
}

function linkFacts({ url, expiresAt }: NewLink): [string, string][] {
  return [
    ['link', url],
    ['until', shownTime(expiresAt)],
  ];
}

function noteLink(output: Output, { isLocal }: NewLink): void {
  output.note(LINK_ONCE);
  if (isLocal) output.note(NO_ADDRESS);
}
