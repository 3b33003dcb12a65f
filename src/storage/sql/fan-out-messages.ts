import { sql } from 'kysely';
import type { ChainStep, NewMessage } from '../../changes/webhooks/fan-out-store.ts';
import type { Queries, SqlDialect } from './database.ts';
import { IS_OF_TYPE } from './fan-out-subscribers.ts';

/** The most messages that one statement writes: they have up to 20 kB. */
const SLICE = 100;

/** Stores steps of chains whose type is as it was when it was read, and leaves out the others. */
export async function storeSteps(
  queries: Queries,
  dialect: SqlDialect,
  steps: readonly ChainStep[],
  now: number,
): Promise<void> {
  const present = await withPresentChain(queries, dialect, steps);
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

async function withPresentChain(
  queries: Queries,
  { isOneOf }: SqlDialect,
  steps: readonly ChainStep[],
): Promise<ChainStep[]> {
  const rowIds = [...new Set(steps.map(({ subscriber }) => subscriber.rowId))];
  const chains = await queries
    .selectFrom('webhookChains')
    .select(['webhookRowId', 'type', 'startSeq', 'seq'])
    .where(IS_OF_TYPE)
    .where(({ ref }) => isOneOf(ref('webhookRowId'), rowIds))
    .execute();
  const present = new Set(
    chains.map(({ webhookRowId, type, startSeq, seq }) =>
      [webhookRowId, type, startSeq, seq].join(' '),
    ),
  );
  return steps.filter(({ subscriber: { rowId, chains: known }, type }) => {
    const { startSeq, seq } = known.get(type)!;
    return present.has([rowId, type, startSeq, seq].join(' '));
  });
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
    {
      id: 'text',
      webhookRowId: 'integer',
      type: 'text',
      fromSeq: 'integer',
      seq: 'integer',
      previousSeq: 'integer',
      count: 'integer',
      body: 'text',
    },
    messages.map(({ subscriber, id, type, fromSeq, seq, previousSeq, count, body }) => {
      const webhookRowId = subscriber.rowId;
      return { id, webhookRowId, type, fromSeq, seq, previousSeq, count, body };
    }),
  );
  const columns = [
    'id',
    'webhookRowId',
    'type',
    'fromSeq',
    'seq',
    'previousSeq',
    'count',
    'body',
  ] as const;
  await queries
    .insertInto('webhookDeliveries')
    .columns([...columns, 'state', 'attempts', 'scheduleAttempts', 'nextAt', 'createdAt'])
    .expression(({ selectFrom, cast, val, lit }) =>
      selectFrom(given).select([
        ...columns,
        cast<'pending'>(val('pending'), 'text').as('state'),
        lit(0).as('attempts'),
        lit(0).as('scheduleAttempts'),
        cast<number>(val(now), 'bigint').as('nextAt'),
        cast<number>(val(now), 'bigint').as('createdAt'),
      ]),
    )
    .execute();
}

/** Sets the end of each chain to its last message, and what waits for the next one. */
async function moveChains(queries: Queries, steps: readonly ChainStep[]): Promise<void> {
  const ends = new Map(
    steps.map((step) => [`${step.subscriber.rowId} ${step.type} ${step.subject}`, step]),
  );
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
