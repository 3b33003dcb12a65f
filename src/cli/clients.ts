import { type Command, Option } from 'commander';
import { DEFAULT_RATE_LIMIT, FEATURES, MODES, SCOPES } from '../access/client.ts';
import type { ClientWishes } from '../access/client-rules.ts';
import {
  type ClientRecord,
  createClient,
  disableClient,
  enableClient,
  listClients,
  revokeSecret,
  rotateSecret,
  showClient,
  updateClient,
} from '../access/clients.ts';
import { OperatorError } from '../kernel/operator-error.ts';
import { commaListOrNone, isoTime, rateLimit, shownTime } from './arguments.ts';
import { command, group, inHouse, outputOf, type Shell } from './shell.ts';
import { facts, table } from './table.ts';

interface TermOptions {
  name?: string;
  scopes?: string[];
  features?: string[];
  rateLimit?: number | 'default';
}

const CLIENT = ['<id>', 'id of the client'] as const;
const SHOWN_ONCE = 'Shown once: keep it now. Stave stores only a hash.';

/** `stave clients …`: partners, what they may do, and their secrets. */
export function clientsCommand(shell: Shell): Command {
  return group('clients', 'Let partners in, say what they may do, change their secrets', [
    create(shell),
    list(shell),
    show(shell),
    update(shell),
    setEnabled(shell, 'disable'),
    setEnabled(shell, 'enable'),
    rotate(shell),
    revoke(shell),
  ]);
}

function create(shell: Shell): Command {
  return command('create', 'Create a client with a secret for each mode', {
    description: `Scopes: ${SCOPES.join(', ')}.\nFeatures: ${FEATURES.join(', ')}; each brings its scope.\nThe secrets are printed once and cannot be shown again.`,
    examples: [
      ['stave clients create --name "Acme Video" --scopes tracks,search,filters', 'a partner'],
      [
        'stave clients create --name Acme --scopes search --rate-limit 1200 --json',
        '{"clientId", "testSecret", "liveSecret"}',
      ],
    ],
  })
    .requiredOption('-n, --name <name>', 'whom it is for')
    .requiredOption('-s, --scopes <scopes>', 'comma-separated', commaListOrNone)
    .option('-f, --features <features>', 'contract features, comma-separated', commaListOrNone)
    .option('-r, --rate-limit <n>', `requests a minute; default: ${DEFAULT_RATE_LIMIT}`, rateLimit)
    .action(async (options) => {
      const created = await inHouse(shell, (house) =>
        createClient(house, { name: options.name, scopes: options.scopes, ...wishesOf(options) }),
      );
      const output = outputOf(shell, options);
      output.result(created, () =>
        facts([
          ['client id', created.clientId],
          ['test secret', created.testSecret],
          ['live secret', created.liveSecret],
        ]),
      );
      output.note(SHOWN_ONCE);
    });
}

function list(shell: Shell): Command {
  return command('list', 'List all clients, oldest first', {
    examples: [['stave clients list', 'their ids, names and scopes; never their secrets']],
  }).action(async (options) => {
    const clients = await inHouse(shell, (house) => listClients(house));
    outputOf(shell, options).result(clients.map(forScripts), () =>
      clients.length === 0
        ? 'no clients'
        : table(
            ['ID', 'NAME', 'STATE', 'LIMIT', 'SCOPES', 'CREATED'],
            clients.map((client) => [
              client.id,
              client.name,
              state(client),
              String(client.rateLimit ?? 'default'),
              client.scopes.join(','),
              shownTime(client.createdAt),
            ]),
          ),
    );
  });
}

function show(shell: Shell): Command {
  return command('show', 'Show one client with its secrets (without what they are) and grants', {
    examples: [['stave clients show 0b6c…', 'the ids of its secrets are for `revoke-secret`']],
  })
    .argument(...CLIENT)
    .action(async (id: string, options) => {
      const client = await inHouse(shell, (house) => showClient(house, id));
      outputOf(shell, options).result(forScripts(client), () => forPeople(client));
    });
}

function update(shell: Shell): Command {
  return command('update', "Change a client's name, scopes, features or limit", {
    description:
      'What is not given stays. Tokens already issued keep only what is still granted, within a second.',
    examples: [
      ['stave clients update 0b6c… --scopes tracks,search', 'exactly these scopes'],
      ['stave clients update 0b6c… --features none --rate-limit default', 'back to the usual'],
    ],
  })
    .argument(...CLIENT)
    .option('-n, --name <name>', 'the new name')
    .option('-s, --scopes <scopes>', 'all its scopes, comma-separated', commaListOrNone)
    .option(
      '-f, --features <features>',
      'all its features, comma-separated, or none',
      commaListOrNone,
    )
    .option('-r, --rate-limit <n>', 'requests a minute, or default', rateLimit)
    .action(async (id: string, options) => {
      const wishes = wishesOf(options);
      if (Object.keys(wishes).length === 0) {
        throw new OperatorError(
          'nothing to change: give --name, --scopes, --features or --rate-limit',
        );
      }
      const client = await inHouse(shell, (house) => updateClient(house, id, wishes));
      outputOf(shell, options).result(forScripts(client), () => forPeople(client));
    });
}

function setEnabled(shell: Shell, name: 'disable' | 'enable'): Command {
  const enabled = name === 'enable';
  const summary = enabled
    ? 'Let a disabled client in again'
    : 'Shut a client out: its tokens and stream URLs end within a second';
  return command(name, summary, {
    examples: [
      [
        `stave clients ${name} 0b6c…`,
        enabled ? 'its secrets work again' : '`enable` lets it in again',
      ],
    ],
  })
    .argument(...CLIENT)
    .action(async (id: string, options) => {
      const service = enabled ? enableClient : disableClient;
      const changed = await inHouse(shell, (house) => service(house, id));
      outputOf(shell, options).result(
        { clientId: id, enabled, changed },
        () => `${id} ${changed ? 'is now' : 'was already'} ${name}d`,
      );
    });
}

function rotate(shell: Shell): Command {
  return command('rotate-secret', 'Add a second secret beside the one in use', {
    description:
      'A client has up to two live secrets a mode: give the partner the new one, then revoke the ' +
      'old one. The new secret is printed once.',
    examples: [
      ['stave clients rotate-secret 0b6c… --mode live', 'then: stave clients revoke-secret …'],
      ['stave clients rotate-secret 0b6c… --mode test --json', '{"secretId", "secret"}'],
    ],
  })
    .argument(...CLIENT)
    .addOption(
      new Option('-m, --mode <mode>', 'which mode it is for')
        .choices([...MODES])
        .makeOptionMandatory(),
    )
    .action(async (id: string, options) => {
      const rotated = await inHouse(shell, (house) => rotateSecret(house, id, options.mode));
      const output = outputOf(shell, options);
      output.result(rotated, () =>
        facts([
          ['secret id', rotated.secretId],
          ['secret', rotated.secret],
        ]),
      );
      output.note(SHOWN_ONCE);
    });
}

function revoke(shell: Shell): Command {
  return command('revoke-secret', 'End a secret and its tokens within a second', {
    description: 'Stream URLs already handed out run their half hour; `disable` ends them too.',
    examples: [['stave clients revoke-secret 0b6c… 7f0e…', '`stave clients show` lists the ids']],
  })
    .argument(...CLIENT)
    .argument('<secret-id>', 'id of the secret')
    .action(async (id: string, secretId: string, options) => {
      const changed = await inHouse(shell, (house) => revokeSecret(house, id, secretId));
      outputOf(shell, options).result(
        { clientId: id, secretId, changed },
        () => `${secretId} ${changed ? 'is now' : 'was already'} revoked`,
      );
    });
}

/** The members that were given, and no others. */
function wishesOf({ name, scopes, features, rateLimit: limit }: TermOptions): ClientWishes {
  return {
    ...(name !== undefined && { name }),
    ...(scopes !== undefined && { scopes }),
    ...(features !== undefined && { features }),
    ...(limit !== undefined && { rateLimit: limit === 'default' ? null : limit }),
  };
}

function rateLimitOf({ rateLimit: own }: ClientRecord): string {
  return own === null ? `${DEFAULT_RATE_LIMIT} a minute, the default` : `${own} a minute`;
}

function state({ enabled }: ClientRecord): string {
  return enabled ? 'enabled' : 'disabled';
}

function forScripts({ id, createdAt, secrets, ...rest }: ClientRecord): object {
  return {
    clientId: id,
    ...rest,
    createdAt: isoTime(createdAt),
    secrets: secrets.map(({ id: secretId, mode, createdAt: at, revokedAt }) => ({
      secretId,
      mode,
      createdAt: isoTime(at),
      revokedAt: revokedAt === null ? null : isoTime(revokedAt),
    })),
  };
}

function forPeople(client: ClientRecord): string {
  const secrets = table(
    ['SECRET', 'MODE', 'CREATED', 'STATE'],
    client.secrets.map(({ id, mode, createdAt, revokedAt }) => [
      id,
      mode,
      shownTime(createdAt),
      revokedAt === null ? 'live' : `revoked ${shownTime(revokedAt)}`,
    ]),
  );
  const about = facts([
    ['client id', client.id],
    ['name', client.name],
    ['state', state(client)],
    ['scopes', client.scopes.join(', ')],
    ['features', client.features.join(', ') || 'none'],
    ['rate limit', rateLimitOf(client)],
    ['playlists', client.playlistIds.join(', ') || 'none'],
    ['created', shownTime(client.createdAt)],
  ]);
  return `${about}\n\n${secrets}`;
}
