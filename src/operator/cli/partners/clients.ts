import { type Command, InvalidArgumentError, Option } from 'commander';
import type { AppContext } from '../../../app/open/context.ts';
import { FEATURES, MODES, SCOPES } from '../../../common/caller.ts';
import { OperatorError } from '../../../common/errors.ts';
import { type DayOfCalls, readDays } from '../../../features/access/call-report.ts';
import { KEPT_DAYS, type SecretAddress } from '../../../features/access/calls.ts';
import {
  type ClientInput,
  checkTerms,
  DEFAULT_RATE_LIMIT,
  STANDARD_RATE_CARD,
} from '../../../features/access/client.ts';
import type { Requests } from '../../../features/access/client-requests.ts';
import {
  readLimitUse,
  readUses,
  type Use,
  type Uses,
} from '../../../features/access/client-use.ts';
import {
  type ClientRecord,
  createClient,
  duplicateNames,
  listClients,
  rotateSecret,
  setClientEnabled,
  showClient,
  updateClient,
} from '../../../features/access/clients.ts';
import { clientIdOf, findClient, missingRule, requireRateCard } from '../../named.ts';
import { command, group, outputOf, type Shell, withContext } from '../shell.ts';
import {
  commaList,
  commaListOrNone,
  isoTime,
  notEmpty,
  rateLimit,
  shownTime,
  spendingLimit,
  wholeNumber,
  withIsoTimes,
} from '../terminal/arguments.ts';
import { askToGoOn } from '../terminal/ask.ts';
import { facts, firstOf, listOf, table } from '../terminal/table.ts';
import { importClientsCommand } from './import-clients.ts';

interface TermOptions {
  name?: string;
  scopes?: string[];
  features?: string[];
  enableFeatures?: string[];
  disableFeatures?: string[];
  rateLimit?: number | 'default';
  account?: string;
  rateCard?: string;
  spendingLimit?: number | 'none';
}

const CLIENT = ['<client>', 'id of the client, or its name if no other client has it'] as const;
const ALLOW_MISSING = ['--allow-missing', 'accept a rate card that is not published'] as const;
const SHOWN_ONCE = 'Shown once: keep it now. Stave stores only a hash.';

const COUNTS =
  'HOUR and DAY count the requests with tokens of a client, not those for tokens. They are counted over all nodes, in steps of five minutes, and shown some seconds later. The last use of a secret is the last request with a token of it, or for such a token.';

const ACCOUNT =
  'account whose clients may share collections, and do not exclude each other by exclusive licenses';

const SPENDING =
  'what its licenses may cost in a month (UTC), in whole units of the currency of its rate card';

const SUMMARY = 'Create clients, set what they may do, change their secrets';

export const clientsCommand = group('clients', SUMMARY, [
  (shell) =>
    command(shell, 'create', 'Create a client with a secret for each mode', {
      description: `Scopes: ${SCOPES.join(', ')}.\nFeatures: ${FEATURES.join(', ')}; each adds its scope.\nThe secrets are printed once and cannot be shown again.\nIf another client has the name, the command asks; without a terminal, it fails unless --allow-duplicate is given.`,
      examples: [
        ['stave clients create --name "Acme Video" --scopes tracks,search,filters', 'a partner'],
        [
          'stave clients create --name Acme --scopes search --rate-limit 1200 --json',
          '{"clientId", "testSecret", "liveSecret"}',
        ],
      ],
    })
      .requiredOption('-n, --name <name>', 'name of the partner or program')
      .requiredOption('-s, --scopes <scopes>', 'comma-separated', commaList)
      .option(
        '-f, --features <features>',
        'contract features, comma-separated, or all',
        featureList,
      )
      .option(
        '-r, --rate-limit <n>',
        `requests a minute; default: ${DEFAULT_RATE_LIMIT}`,
        rateLimit,
      )
      .option('--account <name>', `${ACCOUNT}; default: its own`)
      .option(
        '--rate-card <name>',
        `rate card of its quotes; default: ${STANDARD_RATE_CARD}`,
        notEmpty,
      )
      .option('--spending-limit <n>', `${SPENDING}; default: none`, spendingLimit)
      .option('--allow-duplicate', 'do not ask if another client has the name')
      .option(...ALLOW_MISSING)
      .action(async (options) => {
        const input = { name: options.name, scopes: options.scopes, ...termsOf(options) };
        checkTerms(input);
        const created = await withContext(shell, async (context) => {
          const change = { before: null, after: input.rateCard };
          await requireRateCard(context.store, change, missingRule(options));
          const duplicates = options.allowDuplicate
            ? []
            : await duplicateNames(context, [options.name]);
          if (duplicates.length > 0) {
            await askToGoOn(shell, {
              found: `Another client has the name ${JSON.stringify(options.name)}`,
              question: 'Create one more?',
              option: '--allow-duplicate',
            });
          }
          // The check above is repeated in the transaction, because two commands may run at once.
          const isNewName = !options.allowDuplicate && duplicates.length === 0;
          return createClient(context, input, { isNewName });
        });
        const output = outputOf(shell, options);
        output.result(created, () =>
          facts([
            ['client id', created.clientId],
            ['test secret', created.testSecret],
            ['live secret', created.liveSecret],
          ]),
        );
        output.note(SHOWN_ONCE);
      }),
  importClientsCommand,
  (shell) =>
    command(shell, 'list', 'List all clients with their requests, oldest first', {
      hasTable: true,
      description: `${COUNTS}\n429 counts the requests that the rate limit refused; they are among the requests.`,
      examples: [
        ['stave clients list', 'who is active, and who is at the limit; no secrets'],
        ['stave clients list --json', 'also the requests and the last use of each secret'],
      ],
    }).prints(
      async (context) => ({ clients: await listClients(context), uses: await readUses(context) }),
      ({ clients, uses }) => listForPeople(clients, uses),
      ({ clients, uses }) => clients.map((client) => forScripts(client, uses)),
    ),
  (shell) =>
    command(shell, 'show', 'Show one client with its grants and the ids of its secrets', {
      hasTable: true,
      description: `${COUNTS}\nIt also shows the requests and errors of each day, within which time half and 95 % of the successful responses were sent (P50, P95), and the addresses from which secrets and tokens of them were used, the latest first. They are kept for 13 months.`,
      examples: [
        ['stave clients show "Acme Video"', 'which secret is in use; `revoke-secret` takes its id'],
        ['stave clients show 0b6c… --days 90 --json', 'more days, and all addresses'],
      ],
    })
      .argument(...CLIENT)
      .option('--days <n>', 'how many days', wholeNumber(1, KEPT_DAYS), 7)
      .prints(
        async (context, idOrName: string, options: { days: number }) => {
          const found = await withUses(context, await clientIdOf(context.store, idOrName));
          const days = await readDays(context, found.client.id, options.days);
          const addresses = await context.store.calls.addresses(found.client.id);
          return { ...found, days, addresses, ...(await readLimitUse(context, found.client)) };
        },
        ({ client, uses, reasons, days, addresses }) =>
          [
            forPeople(client, uses),
            ...reasons,
            '',
            daysForPeople(days),
            '',
            addressesForPeople(addresses),
          ].join('\n'),
        ({ client, uses, reasons, days, addresses }) => ({
          ...forScripts(client, uses),
          ...{ limitReasons: reasons, days },
          addresses: addresses.map(({ clientId: _, ...address }) => withIsoTimes(address)),
        }),
      ),
  (shell) =>
    command(shell, 'update', "Change a client's name, rights, limits, account or rate card", {
      description: `Features: ${FEATURES.join(', ')}; all names each of them, none names no feature.\nOptions that are not given change nothing. A change takes effect within a second. Issued tokens lose what is no longer granted, but a feature that is switched on needs a new token.`,
      examples: [
        [
          'stave clients update 0b6c… --enable-features changes,similar',
          'beside its other features',
        ],
        ['stave clients update 0b6c… --scopes tracks,search', 'exactly these scopes'],
        ['stave clients update 0b6c… --account "Acme Media"', 'may share with its other clients'],
        ['stave clients update 0b6c… --spending-limit 5000', 'a month, in each mode'],
        ['stave clients update 0b6c… --features none --rate-limit default', 'back to the defaults'],
      ],
    })
      .argument(...CLIENT)
      .option('-n, --name <name>', 'the new name')
      .option('-s, --scopes <scopes>', 'all its scopes, comma-separated', commaList)
      .option('--enable-features <features>', 'features to switch on, or all', featureList)
      .option('--disable-features <features>', 'features to switch off, or all', featureList)
      .addOption(
        new Option('-f, --features <features>', 'all its features, comma-separated, or all or none')
          .argParser(featureList)
          .conflicts(['enableFeatures', 'disableFeatures']),
      )
      .option('-r, --rate-limit <n>', 'requests a minute, or default', rateLimit)
      .option('--account <name>', `${ACCOUNT}; or none`)
      .option(
        '--rate-card <name>',
        `rate card of its quotes, such as ${STANDARD_RATE_CARD}`,
        notEmpty,
      )
      .option('--spending-limit <n>', `${SPENDING}, or none`, spendingLimit)
      .option(...ALLOW_MISSING)
      .action(async (idOrName: string, options) => {
        const input = termsOf(options);
        if (Object.keys(input).length === 0) {
          throw new OperatorError(
            'nothing to change: give --name, --scopes, --enable-features, --disable-features, --features, --rate-limit, --account, --rate-card or --spending-limit',
          );
        }
        const { client, uses } = await withContext(shell, async (context) => {
          const { id, rateCard } = await findClient(context.store, idOrName);
          const change = { before: rateCard, after: input.rateCard };
          await requireRateCard(context.store, change, missingRule(options));
          await updateClient(context, id, input);
          return withUses(context, id);
        });
        outputOf(shell, options).result(forScripts(client, uses), () => forPeople(client, uses));
      }),
  (shell) => setEnabled(shell, 'disable'),
  (shell) => setEnabled(shell, 'enable'),
  (shell) =>
    command(shell, 'rotate-secret', 'Add a second secret to the one in use', {
      description:
        'A client has up to two live secrets per mode: give the partner the new one, then revoke the ' +
        'old one. The new secret is printed once.',
      examples: [
        ['stave clients rotate-secret 0b6c… --mode live', 'then: stave clients revoke-secret …'],
        ['stave clients rotate-secret 0b6c… --mode test --json', '{"secretId", "secret"}'],
      ],
    })
      .argument(...CLIENT)
      .addOption(
        new Option('-m, --mode <mode>', 'mode of the secret')
          .choices([...MODES])
          .makeOptionMandatory(),
      )
      .action(async (idOrName: string, options) => {
        const rotated = await withContext(shell, async (context) =>
          rotateSecret(context, await clientIdOf(context.store, idOrName), options.mode),
        );
        const output = outputOf(shell, options);
        output.result(rotated, () =>
          facts([
            ['secret id', rotated.secretId],
            ['secret', rotated.secret],
          ]),
        );
        output.note(SHOWN_ONCE);
      }),
  (shell) =>
    command(shell, 'revoke-secret', 'End a secret and its tokens within a second', {
      description: 'Issued stream URLs stay valid for up to 30 minutes; `disable` ends them, too.',
      examples: [['stave clients revoke-secret 0b6c… 7f0e…', '`stave clients show` lists the ids']],
    })
      .argument(...CLIENT)
      .argument('<secret-id>', 'id of the secret')
      .prints(
        async (context, idOrName: string, secretId: string) => {
          const clientId = await clientIdOf(context.store, idOrName);
          const changed = await context.store.clients.revokeSecret(clientId, secretId, context.by);
          return { clientId, secretId, changed };
        },
        ({ secretId, changed }) => `${secretId} ${changed ? 'is now' : 'was already'} revoked`,
      ),
]);

async function withUses(context: AppContext, id: string) {
  const client = await showClient(context, id);
  return { client, uses: await readUses(context, client.id) };
}

function setEnabled(shell: Shell, name: 'disable' | 'enable'): Command {
  const enabled = name === 'enable';
  const summary = enabled
    ? 'Enable a disabled client'
    : 'Disable a client: its tokens and stream URLs end within a second';
  return command(shell, name, summary, {
    examples: [
      [
        `stave clients ${name} 0b6c…`,
        enabled ? 'its secrets work again' : '`enable` reverses this',
      ],
    ],
  })
    .argument(...CLIENT)
    .prints(
      async (context, idOrName: string) => {
        const clientId = await clientIdOf(context.store, idOrName);
        return { clientId, enabled, changed: await setClientEnabled(context, clientId, enabled) };
      },
      ({ clientId, changed }) => `${clientId} ${changed ? 'is now' : 'was already'} ${name}d`,
    );
}

/** Parses names of features; `all` stands for every feature. */
function featureList(text: string): string[] {
  if (text === 'all') return [...FEATURES];
  const names = commaListOrNone(text);
  const alone = names.find((name) => name === 'all' || name === 'none');
  if (alone !== undefined) throw new InvalidArgumentError(`${alone} must stand alone.`);
  return names;
}

/** Returns only the members that were given. */
function termsOf({
  rateLimit: limit,
  spendingLimit: spending,
  ...given
}: TermOptions): ClientInput {
  const { name, scopes, features, enableFeatures, disableFeatures, account, rateCard } = given;
  return {
    ...(name !== undefined && { name }),
    ...(scopes !== undefined && { scopes }),
    ...(features !== undefined && { features }),
    ...(enableFeatures !== undefined && { enableFeatures }),
    ...(disableFeatures !== undefined && { disableFeatures }),
    ...(account !== undefined && { account: account === 'none' ? null : account }),
    ...(rateCard !== undefined && { rateCard }),
    ...(spending !== undefined && { spendingLimit: spending === 'none' ? null : spending }),
    ...(limit !== undefined && { rateLimit: limit === 'default' ? null : limit }),
  };
}

function daysForPeople(days: readonly DayOfCalls[]): string {
  const ms = (time: number | null) => (time === null ? '' : `${Number(time.toPrecision(2))} ms`);
  return listOf(days, 'no request in these days', {
    ...{ DAY: 'day', REQUESTS: 'requests' },
    P50: ({ p50Ms }) => ms(p50Ms),
    P95: ({ p95Ms }) => ms(p95Ms),
    ERRORS: ({ errors }) =>
      Object.entries(errors)
        .map(([type, count]) => `${count} ${type}`)
        .join(', '),
  });
}

/** The most addresses that people see. */
const SHOWN_ADDRESSES = 20;

function addressesForPeople(addresses: readonly SecretAddress[]): string {
  const list = listOf(firstOf(addresses, SHOWN_ADDRESSES), 'no secret was used', {
    ...{ SECRET: 'secretId', ADDRESS: 'address', REQUESTS: 'requests', ERRORS: 'errors' },
    ...{ 'FIRST USED': 'firstAt', 'LAST USED': 'lastAt' },
  });
  const more = addresses.length - SHOWN_ADDRESSES;
  return more > 0 ? `${list}\nand ${more} more: see --json` : list;
}

const USE_COLUMNS = ['HOUR', '429', 'DAY', '429', 'LAST USED'];

function rateLimitOf({ rateLimit: own }: ClientRecord): string {
  return own === null ? `${DEFAULT_RATE_LIMIT} a minute, the default` : `${own} a minute`;
}

function spendingLimitOf({ spendingLimit: own }: ClientRecord): string {
  return own === null ? 'none' : `${own} a month, in the currency of its rate card`;
}

function state({ enabled }: ClientRecord): string {
  return enabled ? 'enabled' : 'disabled';
}

function forScripts({ id, createdAt, secrets, ...rest }: ClientRecord, uses: Uses): object {
  return {
    clientId: id,
    ...rest,
    createdAt: isoTime(createdAt),
    ...useForScripts(uses.ofClient(id)),
    secrets: secrets.map(({ id: secretId, mode, createdAt, revokedAt }) => ({
      ...withIsoTimes({ secretId, mode, createdAt, revokedAt }),
      ...useForScripts(uses.ofSecret(secretId)),
    })),
  };
}

function useForScripts({ lastUsedAt, lastHour, lastDay }: Use): object {
  const shown = ({ requests, limited }: Requests) => ({ requests, rateLimited: limited });
  return withIsoTimes({ lastUsedAt, lastHour: shown(lastHour), lastDay: shown(lastDay) });
}

function listForPeople(clients: readonly ClientRecord[], uses: Uses): string {
  const text = table(
    ['ID', 'NAME', 'STATE', 'LIMIT', ...USE_COLUMNS, 'SCOPES', 'CREATED'],
    clients.map((client) => [
      client.id,
      client.name,
      state(client),
      String(client.rateLimit ?? 'default'),
      ...useCells(uses.ofClient(client.id)),
      client.scopes.join(','),
      shownTime(client.createdAt),
    ]),
  );
  return clients.length === 0 ? 'no clients' : text;
}

function useCells({ lastUsedAt, lastHour, lastDay }: Use): string[] {
  const counts = [lastHour, lastDay].flatMap(({ requests, limited }) => [requests, limited]);
  return [...counts.map(String), lastUsedAt === null ? 'never' : shownTime(lastUsedAt)];
}

function forPeople(client: ClientRecord, uses: Uses): string {
  const secrets = table(
    ['SECRET', 'MODE', 'CREATED', 'STATE', ...USE_COLUMNS],
    client.secrets.map(({ id, mode, createdAt, revokedAt }) => [
      id,
      mode,
      shownTime(createdAt),
      revokedAt === null ? 'valid' : `revoked ${shownTime(revokedAt)}`,
      ...useCells(uses.ofSecret(id)),
    ]),
  );
  const { lastHour, lastDay } = uses.ofClient(client.id);
  const requests = ({ requests: count, limited }: Requests) =>
    `${count}, of them ${limited} over the rate limit`;
  const about = facts([
    ['client id', client.id],
    ['name', client.name],
    ['state', state(client)],
    ['scopes', client.scopes.join(', ')],
    ['features', client.features.join(', ') || 'none'],
    ['rate limit', rateLimitOf(client)],
    ['account', client.account ?? 'its own'],
    ['rate card', client.rateCard ?? STANDARD_RATE_CARD],
    ['spending limit', spendingLimitOf(client)],
    ['playlists', client.playlistIds.join(', ') || 'none'],
    ['created', shownTime(client.createdAt)],
    ['last hour', requests(lastHour)],
    ['last day', requests(lastDay)],
  ]);
  return `${about}\n\n${secrets}`;
}
