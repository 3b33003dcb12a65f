import { sql } from 'kysely';
import type { Queries, SqlDialect } from '../../../engines/sql/database.ts';
import type { ChainStep, NewMessage } from '../subscriber.ts';
import type { EventType } from '../webhook.ts';

/** The most messages in one statement. A message has up to 20 kB. */
const SLICE = 100;

/** The types of new messages in a statement. */
const MESSAGE = {
  id: 'text',
  webhookRowId: 'integer',
  type: 'text',
  fromSeq: 'integer',
  seq: 'integer',
  previousSeq: 'integer',
  count: 'integer',
  body: 'text',
} as const;
const MESSAGE_COLUMNS = Object.keys(MESSAGE) as (keyof typeof MESSAGE)[];

export interface ChainName {
  webhookRowId: number;
  type: EventType;
  subject: string;
}

/** By `nameOf`. */
type StoredChains = ReadonlyMap<string, { startSeq: number; seq: number; held: string | null }>;

/**
 * Stores steps. Leaves out chains that began anew or ended since they were read, and chains that another append has
 * continued. The steps of a chain must be complete and in order.
 */
export async function storeSteps(
  queries: Queries,
  dialect: SqlDialect,
  steps: readonly ChainStep[],
  now: number,
): Promise<void> {
  const chains = await chainsOf(queries, dialect, steps);
  const first = firstSteps(steps);
  const present = steps.filter((step) => {
    const begin = first.get(stepName(step))!;
    return isPresent(begin, chains) && !isContinued(begin, chains);
  });
  for (let from = 0; from < present.length; from += SLICE) {
    const slice = present.slice(from, from + SLICE);
    await insertDeliveries(
      queries,
      dialect,
      slice.filter((step) => 'body' in step),
      now,
    );
    await moveChains(queries, slice);
  }
}

/** Returns the row ids of endpoints of which another append has continued a chain since these steps were read. */
export async function continuedEndpoints(
  queries: Queries,
  dialect: SqlDialect,
  steps: readonly ChainStep[],
): Promise<Set<number>> {
  const chains = await chainsOf(queries, dialect, steps);
  const continued = [...firstSteps(steps).values()].filter(
    (step) => isPresent(step, chains) && isContinued(step, chains),
  );
  return new Set(continued.map(({ subscriber }) => subscriber.rowId));
}

/** The first step of each chain, by `nameOf`, which shows the chain as it was read. */
function firstSteps(steps: readonly ChainStep[]): Map<string, ChainStep> {
  const first = new Map<string, ChainStep>();
  for (const step of steps) {
    const name = stepName(step);
    if (!first.has(name)) first.set(name, step);
  }
  return first;
}

function stepName({ subscriber, type, subject }: ChainStep): string {
  return nameOf({ webhookRowId: subscriber.rowId, type, subject });
}

export function nameOf({ webhookRowId, type, subject }: ChainName): string {
  return `${webhookRowId} ${type} ${subject}`;
}

export async function storedChains(
  queries: Queries,
  { isOneOf }: SqlDialect,
  names: readonly ChainName[],
): Promise<StoredChains> {
  if (names.length === 0) return new Map();
  const oneOf = <Key extends keyof ChainName>(key: Key) => [
    ...new Set(names.map((name) => name[key])),
  ];
  const rows = await queries
    .selectFrom('webhookChains')
    .select(['webhookRowId', 'type', 'subject', 'startSeq', 'seq', 'held'])
    .where(({ ref }) => isOneOf(ref('webhookRowId'), oneOf('webhookRowId')))
    .where(({ ref }) => isOneOf(ref('type'), oneOf('type')))
    .where(({ ref }) => isOneOf(ref('subject'), oneOf('subject')))
    .execute();
  return new Map(rows.map((row) => [nameOf(row), row]));
}

/** Returns the chains of the types and of the subjects of steps. */
function chainsOf(
  queries: Queries,
  dialect: SqlDialect,
  steps: readonly ChainStep[],
): Promise<StoredChains> {
  const names = steps.flatMap(({ subscriber: { rowId: webhookRowId }, type, subject }) => [
    { webhookRowId, type, subject },
    { webhookRowId, type, subject: '' },
  ]);
  return storedChains(queries, dialect, names);
}

/** Whether the chain of the type has not begun anew, or ended, since it was read. */
function isPresent({ subscriber: { rowId, chains }, type }: ChainStep, stored: StoredChains) {
  return stored.get(`${rowId} ${type} `)?.startSeq === chains.get(type)!.startSeq;
}

/** Whether another append has continued the chain since it was read. */
function isContinued(step: ChainStep, stored: StoredChains): boolean {
  const { subscriber, type, subject, previousSeq } = step;
  const chain = stored.get(stepName(step));
  const read = subscriber.held.find((one) => one.type === type && one.subject === subject)?.held;
  // The chain of a subject is stored with its first step.
  if (chain === undefined) return read !== undefined;
  return chain.seq !== previousSeq || chain.held !== (read ? JSON.stringify(read) : null);
}

async function insertDeliveries(
  queries: Queries,
  { rows }: SqlDialect,
  messages: readonly NewMessage[],
  now: number,
): Promise<void> {
  if (messages.length === 0) return;
  const given = rows(
    'given',
    MESSAGE,
    messages.map(({ subscriber, id, type, fromSeq, seq, previousSeq, count, body }) => {
      const webhookRowId = subscriber.rowId;
      return { id, webhookRowId, type, fromSeq, seq, previousSeq, count, body };
    }),
  );
  await queries
    .insertInto('webhookDeliveries')
    .columns([...MESSAGE_COLUMNS, 'state', 'attempts', 'scheduleAttempts', 'nextAt', 'createdAt'])
    .expression(({ selectFrom, cast, val, lit }) =>
      selectFrom(given).select([
        ...MESSAGE_COLUMNS,
        cast<'pending'>(val('pending'), 'text').as('state'),
        lit(0).as('attempts'),
        lit(0).as('scheduleAttempts'),
        cast<number>(val(now), 'bigint').as('nextAt'),
        cast<number>(val(now), 'bigint').as('createdAt'),
      ]),
    )
    .execute();
}

/** Stores the last message of each chain, and the changes that wait for the next one. */
async function moveChains(queries: Queries, steps: readonly ChainStep[]): Promise<void> {
  const ends = new Map(steps.map((step) => [stepName(step), step]));
  await queries
    .insertInto('webhookChains')
    .values(
      [...ends.values()].map((step) => {
        const { subscriber, type, subject, previousSeq } = step;
        const { startSeq, startRowId } = subscriber.chains.get(type)!;
        return {
          ...{ webhookRowId: subscriber.rowId, type, subject, startSeq, startRowId },
          seq: 'body' in step ? step.seq : previousSeq,
          held: 'held' in step ? JSON.stringify(step.held) : null,
        };
      }),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['webhookRowId', 'type', 'subject'])
        .doUpdateSet({ seq: sql.ref('excluded.seq'), held: sql.ref('excluded.held') }),
    )
    .execute();
}
