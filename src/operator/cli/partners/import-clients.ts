import { existsSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { FEATURES } from '../../../common/caller.ts';
import { OperatorError, StaveError } from '../../../common/errors.ts';
import { didYouMean } from '../../../common/text/explain.ts';
import { isObject } from '../../../common/text/json.ts';
import { counted, csvLine } from '../../../common/text/shown.ts';
import { type ClientInput, checkTerms, type NameRule } from '../../../features/access/client.ts';
import {
  type ClientDependencies,
  type CreatedClient,
  duplicateNames,
  makeClient,
  type NewClientInput,
} from '../../../features/access/clients.ts';
import { readHead } from '../../../features/import/decode/bytes.ts';
import { type Decoded, UnreadableError } from '../../../features/import/decode/decoded.ts';
import { HEAD_BYTES, recognizeFormat } from '../../../features/import/decode/format.ts';
import type { Store } from '../../../features/store.ts';
import { missingRule, requireRateCard } from '../../named.ts';
import { command, outputOf, type Shell, withContext } from '../shell.ts';
import { notEmpty } from '../terminal/arguments.ts';
import { askToGoOn } from '../terminal/ask.ts';
import { writeNewFile } from '../terminal/output.ts';
import { listOf } from '../terminal/table.ts';

/** Further problems are not printed. */
const MAX_PROBLEMS = 100;

interface Options {
  secrets?: string;
  dryRun?: boolean;
  allowDuplicate?: boolean;
  allowMissing?: boolean;
  json?: boolean;
}

export function importClientsCommand(shell: Shell): Command {
  return command(shell, 'import', 'Create the clients of a file, all or none', {
    hasTable: true,
    description:
      'CSV with a heading, or NDJSON, with the options of `create`: name, scopes, features, rateLimit, account, rateCard, spendingLimit. In a cell, words are divided by commas, semicolons, bars or blanks; an empty cell means the default. ' +
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
    .option('--allow-missing', 'accept rate cards that are not published')
    .action(async (path: string, options: Options) => {
      const secrets = options.dryRun === true ? undefined : secretsFile(options.secrets);
      const { clients, problems } = await readClientFile(path);
      if (problems.length > 0) {
        refuse(shell, { path, problems, options });
        return;
      }
      await withContext(shell, async (context) => {
        const missing =
          options.allowMissing === true ? [] : await missingCards(context.store, clients);
        if (missing.length > 0) {
          refuse(shell, { path, problems: missing, options });
          return;
        }
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

/** Checks the file before all other work. The write refuses to overwrite, too. */
function secretsFile(path: string | undefined): string {
  if (path === undefined) {
    throw new OperatorError('--secrets FILE is missing: the secrets are shown nowhere else');
  }
  if (!/\.(?:csv|ndjson|jsonl)$/i.test(path)) {
    throw new OperatorError('--secrets must name a file that ends in .csv, .ndjson or .jsonl');
  }
  if (existsSync(path)) {
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

/** Returns the rows whose rate card is not published. */
async function missingCards(store: Store, clients: readonly FileClient[]): Promise<RowProblem[]> {
  const problems: RowProblem[] = [];
  for (const [after, rows] of Map.groupBy(clients, ({ input }) => input.rateCard)) {
    try {
      await requireRateCard(store, { before: null, after }, missingRule({}));
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      const { message } = error;
      problems.push(...rows.map(({ line }) => ({ line, field: 'rateCard', message })));
    }
  }
  return problems.sort((a, b) => a.line - b.line);
}

/** Returns whether other clients have some of the names, and the operator allows that. Throws OperatorError otherwise. */
async function askAboutNames(
  shell: Shell,
  context: ClientDependencies,
  clients: readonly FileClient[],
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
    await context.store.clients.createAll(
      made.map(({ client }) => client),
      context.by,
      rule,
    );
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
  if (isCsv) yield csvLine(['name', 'clientId', 'testSecret', 'liveSecret']);
  for (const { client, testSecret, liveSecret } of made) {
    const { name, id: clientId } = client;
    yield isCsv
      ? csvLine([name, clientId, testSecret, liveSecret])
      : `${JSON.stringify({ name, clientId, testSecret, liveSecret })}\n`;
  }
}

function shownRows(clients: readonly FileClient[]): string {
  const rows = listOf(clients, '', {
    LINE: 'line',
    NAME: ({ input }) => input.name,
    LIMIT: ({ input }) => input.rateLimit ?? 'default',
    ACCOUNT: ({ input }) => input.account ?? 'its own',
    'RATE CARD': ({ input }) => input.rateCard ?? 'standard',
    SPENDING: ({ input }) => input.spendingLimit ?? 'no limit',
    SCOPES: ({ input }) => input.scopes.join(','),
    FEATURES: ({ input }) => input.features?.join(',') ?? '',
  });
  return `${rows}\n\n${counted(clients.length, 'client')} would be created`;
}

/** All clients of a file are created in one transaction. */
const MAX_CLIENTS = 500;
const MAX_BYTES = 4 * 1024 * 1024;

/** The options of `stave clients create`. */
const MEMBERS = [
  ...(['name', 'scopes', 'features', 'rateLimit', 'account', 'rateCard'] as const),
  'spendingLimit',
] as const;
type Member = (typeof MEMBERS)[number];

interface FileClient {
  line: number;
  input: NewClientInput;
}

interface RowProblem {
  line: number;
  /** Empty for a problem of the whole row. */
  field: string;
  message: string;
}

/** Reads and checks the whole file. Throws OperatorError if it is not a file of clients. */
async function readClientFile(
  path: string,
): Promise<{ clients: FileClient[]; problems: RowProblem[] }> {
  const clients: FileClient[] = [];
  const problems: RowProblem[] = [];
  for await (const { position: line, value, problem, damaged } of recordsOf(path)) {
    const broken = [...(damaged ?? [])].map(([field, message]) => ({ line, field, message }));
    if (problem !== null) broken.push({ line, field: '', message: problem });
    const made = broken.length > 0 ? broken : clientOf(line, value);
    if (Array.isArray(made)) problems.push(...made);
    else clients.push(made);
    if (clients.length > MAX_CLIENTS) {
      throw new OperatorError(`${path} has more than ${MAX_CLIENTS} clients: divide it`);
    }
  }
  if (clients.length === 0 && problems.length === 0) {
    throw new OperatorError(`${path} has no clients`);
  }
  return { clients, problems };
}

async function* recordsOf(path: string): AsyncGenerator<Decoded> {
  const { size } = await stat(path);
  if (size > MAX_BYTES) {
    throw new OperatorError(`${path} is larger than ${MAX_BYTES / 1024 / 1024} MiB`);
  }
  const { head, whole } = await readHead(path, HEAD_BYTES);
  const format = recognizeFormat(head, path, whole);
  if (typeof format === 'string') throw new OperatorError(`${path} ${format}`);
  if (format.kind === 'json') {
    throw new OperatorError(`${path} must be CSV, or NDJSON with one client on each line`);
  }
  // Loaded here, because all other commands of `stave clients` would wait for the readers of all formats, too.
  const { readCatalog } = await import('../../../features/import/read-catalog.ts');
  try {
    for await (const batch of readCatalog({ file: path, format, mapping: null })) yield* batch;
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    const { position, message } = error;
    throw new OperatorError(`${path}${position > 0 ? ` line ${position}` : ''}: ${message}`);
  }
}

function clientOf(line: number, value: unknown): FileClient | RowProblem[] {
  if (!isObject(value)) {
    return [{ line, field: '', message: 'must be a JSON object' }];
  }
  const problems: RowProblem[] = [];
  const input: ClientInput = {};
  for (const [column, cell] of Object.entries(value)) {
    if (cell === null || cell === '') continue;
    const member = memberOf(column);
    const message =
      member === undefined ? notAColumn(column) : setMember(input, member, cell as unknown);
    if (message !== undefined) problems.push({ line, field: member ?? column, message });
  }
  for (const required of ['name', 'scopes'] as const) {
    const isWrong = problems.some(({ field }) => field === required);
    if (input[required] === undefined && !isWrong) {
      problems.push({ line, field: required, message: 'is missing.' });
    }
  }
  try {
    checkTerms(input);
  } catch (error) {
    if (!(error instanceof StaveError)) throw error;
    for (const { field, message } of error.details ?? []) problems.push({ line, field, message });
  }
  return problems.length > 0 ? problems : { line, input: input as NewClientInput };
}

/** Returns the member of a column, such as `Rate limit` or `rate_limit`. */
function memberOf(column: string): Member | undefined {
  const plain = (name: string) => name.toLowerCase().replace(/[\s_-]/g, '');
  return MEMBERS.find((member) => plain(member) === plain(column));
}

function notAColumn(column: string): string {
  const hint = didYouMean(column, MEMBERS) || `: they are ${MEMBERS.join(', ')}`;
  return `is not a member of a client${hint}`;
}

/** Sets a member. Returns what is wrong with the value; undefined if it can be checked further. */
function setMember(input: ClientInput, member: Member, value: unknown): string | undefined {
  switch (member) {
    case 'scopes':
    case 'features': {
      const words = wordsOf(value);
      if (words === undefined) return 'must be a list of words.';
      const isAll = member === 'features' && words.length === 1 && words[0] === 'all';
      const isNone = words.length === 1 && words[0] === 'none';
      input[member] = isAll ? [...FEATURES] : isNone ? [] : words;
      return undefined;
    }
    case 'rateLimit':
    case 'spendingLimit': {
      const text = typeof value === 'number' ? String(value) : value;
      const unset = member === 'rateLimit' ? 'default' : 'none';
      if (text === unset) return undefined;
      if (typeof text !== 'string' || !/^\d{1,15}$/.test(text.trim())) {
        return `must be a whole number, or ${unset}.`;
      }
      input[member] = Number(text);
      return undefined;
    }
    default:
      if (typeof value !== 'string') return 'must be a text.';
      input[member] = value;
      return undefined;
  }
}

/** Returns the words of a list, or of a cell such as `tracks, search`. */
function wordsOf(value: unknown): string[] | undefined {
  if (typeof value === 'string') {
    return value.split(/[\s,;|]+/).filter((word) => word !== '');
  }
  const isList = Array.isArray(value) && value.every((word) => typeof word === 'string');
  return isList ? value : undefined;
}
