import { stat } from 'node:fs/promises';
import { FEATURES } from '../../../common/caller/scopes.ts';
import { StaveError } from '../../../common/errors.ts';
import { OperatorError } from '../../../common/operator-error.ts';
import { nearest } from '../../../common/text/nearest.ts';
import { type ClientInput, checkTerms } from '../../../features/access/client-rules.ts';
import type { NewClientInput } from '../../../features/access/clients.ts';
import { readHead } from '../../../features/import/decode/bytes.ts';
import { type Decoded, UnreadableError } from '../../../features/import/decode/decoded.ts';
import { HEAD_BYTES, recognizeFormat } from '../../../features/import/decode/format.ts';
import { readCatalog } from '../../../features/import/read-catalog.ts';

/** The greatest number of clients in a file: they are created in one transaction. */
export const MAX_CLIENTS = 500;
const MAX_BYTES = 4 * 1024 * 1024;

/** What a row may have: the options of `stave clients create`. */
const MEMBERS = ['name', 'scopes', 'features', 'rateLimit', 'account', 'rateCard'] as const;
type Member = (typeof MEMBERS)[number];

/** A client of a file. */
export interface ListedClient {
  line: number;
  input: NewClientInput;
}

/** What is wrong with a row. `field` is empty if it concerns the whole row. */
export interface RowProblem {
  line: number;
  field: string;
  message: string;
}

/** Reads and checks the whole file. Throws OperatorError if it is not a file of clients. */
export async function readClientFile(
  path: string,
): Promise<{ clients: ListedClient[]; problems: RowProblem[] }> {
  const clients: ListedClient[] = [];
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
  try {
    for await (const batch of readCatalog({ file: path, format, mapping: null })) yield* batch;
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    const { position, message } = error;
    throw new OperatorError(`${path}${position > 0 ? ` line ${position}` : ''}: ${message}`);
  }
}

function clientOf(line: number, value: unknown): ListedClient | RowProblem[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
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
  const near = nearest(column, MEMBERS);
  const hint = near === undefined ? `they are ${MEMBERS.join(', ')}` : `did you mean ${near}?`;
  return `is not a member of a client: ${hint}`;
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
    case 'rateLimit': {
      const text = typeof value === 'number' ? String(value) : value;
      if (text === 'default') return undefined;
      if (typeof text !== 'string' || !/^\d{1,15}$/.test(text.trim())) {
        return 'must be a whole number, or default.';
      }
      input.rateLimit = Number(text);
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
