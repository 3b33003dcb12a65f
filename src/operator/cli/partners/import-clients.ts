import { access, rm } from 'node:fs/promises';
import type { Command } from 'commander';
import { OperatorError } from '../../../common/operator-error.ts';
import { counted } from '../../../common/text/counted.ts';
import { csvRow } from '../../../common/text/csv.ts';
import type { NameRule } from '../../../features/access/access-stores.ts';
import {
  type ClientDependencies,
  type CreatedClient,
  duplicateNames,
  makeClient,
  storeClients,
} from '../../../features/access/clients.ts';
import { command, outputOf, type Shell, withContext } from '../shell.ts';
import { notEmpty } from '../terminal/arguments.ts';
import { askToGoOn } from '../terminal/ask.ts';
import { table } from '../terminal/table.ts';
import { writeNewFile } from '../terminal/write-text.ts';
import { type ListedClient, MAX_CLIENTS, type RowProblem, readClientFile } from './client-file.ts';

/** More problems are not printed. */
const MAX_PROBLEMS = 100;

interface Options {
  secrets?: string;
  dryRun?: boolean;
  allowDuplicate?: boolean;
  json?: boolean;
}

/** `stave clients import`. */
export function importClientsCommand(shell: Shell): Command {
  return command('import', 'Create the clients of a file, all or none', {
    description:
      'CSV with a heading, or NDJSON, with the options of `create`: name, scopes, features, rateLimit, account, rateCard. In a cell, words are divided by commas, semicolons, bars or blanks; an empty cell means the default. ' +
      `Up to ${MAX_CLIENTS} clients. If a row is wrong, each wrong row is named with its line and field, and nothing is created.\n` +
      'The secrets are written to a new file that only you can read, as CSV or NDJSON by its name. It is on disk before the clients exist.',
    examples: [
      ['stave clients import partners.csv --dry-run', 'checks every row, and lists them'],
      ['stave clients import partners.csv --secrets secrets.csv', 'name, clientId, testSecret, …'],
    ],
  })
    .argument('<file>', 'CSV, NDJSON or an Excel workbook')
    .option('--secrets <file>', 'write the secrets to this file, which must not exist', notEmpty)
    .option('--dry-run', 'only check and list')
    .option('--allow-duplicate', 'do not ask about names that other clients have')
    .action(async (path: string, options: Options) => {
      const secrets = options.dryRun === true ? undefined : await secretsFile(options.secrets);
      const { clients, problems } = await readClientFile(path);
      if (problems.length > 0) {
        refuse(shell, { path, problems, options });
        return;
      }
      await withContext(shell, async (context) => {
        const isNewName =
          options.allowDuplicate !== true && !(await askAboutNames(shell, context, clients));
        if (secrets === undefined) {
          outputOf(shell, options).result({ valid: clients.map(({ input }) => input) }, () =>
            shownRows(clients),
          );
          return;
        }
        const made = clients.map(({ input }) => makeClient(context, input));
        await storeWithSecrets(context, made, { path: secrets, rule: { isNewName } });
        outputOf(shell, options).result(
          {
            created: made.map(({ client }) => ({ clientId: client.id, name: client.name })),
            secrets,
          },
          () => `created ${counted(made.length, 'client')}; their secrets are in ${secrets}`,
        );
      });
    });
}

/** Checks the file before any work is done; the write refuses to overwrite, too. */
async function secretsFile(path: string | undefined): Promise<string> {
  if (path === undefined) {
    throw new OperatorError('--secrets FILE is missing: the secrets are shown nowhere else');
  }
  if (!/\.(?:csv|ndjson|jsonl)$/i.test(path)) {
    throw new OperatorError('--secrets must name a file that ends in .csv, .ndjson or .jsonl');
  }
  const exists = await access(path).then(
    () => true,
    () => false,
  );
  if (exists) {
    throw new OperatorError(
      `${path} exists already, perhaps of an interrupted import: \`stave clients list\` shows whether its clients exist; otherwise remove it, or name another file`,
    );
  }
  return path;
}

function refuse(
  shell: Shell,
  { path, problems, options }: { path: string; problems: readonly RowProblem[]; options: Options },
): void {
  const output = outputOf(shell, options);
  for (const { line, field, message } of problems.slice(0, MAX_PROBLEMS)) {
    output.note(`${path} line ${line}: ${field === '' ? '' : `${field}: `}${message}`);
  }
  if (problems.length > MAX_PROBLEMS) {
    output.note(`… and ${problems.length - MAX_PROBLEMS} more (--json has all)`);
  }
  if (output.json) output.result({ created: [], problems }, () => '');
  const rows = new Set(problems.map(({ line }) => line)).size;
  output.warn(
    `${counted(rows, 'row')} of ${path} ${rows === 1 ? 'is' : 'are'} wrong: nothing was created`,
  );
  shell.exitCode = 1;
}

/** Returns whether there are names of other clients, which the operator allows. */
async function askAboutNames(
  shell: Shell,
  context: ClientDependencies,
  clients: readonly ListedClient[],
): Promise<boolean> {
  const names = clients.map(({ input }) => input.name);
  const duplicates = await duplicateNames(context, names);
  if (duplicates.length === 0) return false;
  const some = duplicates.slice(0, 10).map((at) => {
    const { line, input } = clients[at]!;
    return `${JSON.stringify(input.name)} (line ${line})`;
  });
  const more =
    duplicates.length > some.length ? `, and ${duplicates.length - some.length} more` : '';
  await askToGoOn(shell, {
    found: `Other clients have the same name: ${some.join(', ')}${more}`,
    question: 'Create them nevertheless?',
    option: '--allow-duplicate',
  });
  return true;
}

/**
 * Writes the secrets first, because they cannot be shown again. Removes their file only if it is certain that the clients
 * were not created.
 */
async function storeWithSecrets(
  context: ClientDependencies,
  made: readonly CreatedClient[],
  { path, rule }: { path: string; rule: NameRule },
): Promise<void> {
  await writeNewFile(path, secretLines(made, /\.csv$/i.test(path)));
  try {
    await storeClients(context, made, rule);
  } catch (error) {
    let isStored: boolean;
    try {
      isStored = (await context.store.clients.get(made[0]!.client.id)) !== undefined;
    } catch {
      throw new OperatorError(
        `it is unknown whether the clients were created: \`stave clients list\` shows it. If they were, their secrets are in ${path}; otherwise remove it, and repeat the import`,
        { cause: error },
      );
    }
    if (isStored) return;
    await rm(path, { force: true });
    throw error;
  }
}

async function* secretLines(
  made: readonly CreatedClient[],
  isCsv: boolean,
): AsyncGenerator<string> {
  if (isCsv) yield csvRow(['name', 'clientId', 'testSecret', 'liveSecret']);
  for (const { client, testSecret, liveSecret } of made) {
    const { name, id: clientId } = client;
    yield isCsv
      ? csvRow([name, clientId, testSecret, liveSecret])
      : `${JSON.stringify({ name, clientId, testSecret, liveSecret })}\n`;
  }
}

function shownRows(clients: readonly ListedClient[]): string {
  const rows = table(
    ['LINE', 'NAME', 'LIMIT', 'ACCOUNT', 'RATE CARD', 'SCOPES', 'FEATURES'],
    clients.map(({ line, input }) => [
      String(line),
      input.name,
      String(input.rateLimit ?? 'default'),
      input.account ?? 'its own',
      input.rateCard ?? 'standard',
      input.scopes.join(','),
      input.features?.join(',') ?? '',
    ]),
  );
  return `${rows}\n\n${counted(clients.length, 'client')} would be created`;
}
