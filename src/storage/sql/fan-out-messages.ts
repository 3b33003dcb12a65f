import type { NewMessage } from '../../changes/webhooks/fan-out-store.ts';
import type { Queries, SqlDialect } from './database.ts';

/** The most messages that one statement writes: they have up to 20 kB. */
const SLICE = 100;

/** Returns the messages whose chain of the type is as it was when it was read. */
export async function withPresentChain(
  queries: Queries,
  { isOneOf }: SqlDialect,
  messages: readonly NewMessage[],
): Promise<NewMessage[]> {
  const rowIds = [...new Set(messages.map(({ subscriber }) => subscriber.rowId))];
  const chains = await queries
    .selectFrom('webhookChains')
    .select(['webhookRowId', 'type', 'startSeq', 'seq'])
    .where('subject', '=', '')
    .where(({ ref }) => isOneOf(ref('webhookRowId'), rowIds))
    .execute();
  const present = new Set(
    chains.map(({ webhookRowId, type, startSeq, seq }) =>
      [webhookRowId, type, startSeq, seq].join(' '),
    ),
  );
  return messages.filter(({ subscriber: { rowId, chains: known }, type }) => {
    const { startSeq, seq } = known.get(type)!;
    return present.has([rowId, type, startSeq, seq].join(' '));
  });
}

/** Stores messages, and the ends of their chains. */
export async function insertMessages(
  queries: Queries,
  dialect: SqlDialect,
  messages: readonly NewMessage[],
  now: number,
): Promise<void> {
  for (let from = 0; from < messages.length; from += SLICE) {
    const slice = messages.slice(from, from + SLICE);
    await insertDeliveries(queries, dialect, slice, now);
    await moveChains(queries, slice);
  }
}

async function insertDeliveries(
  queries: Queries,
  { rows }: SqlDialect,
  messages: readonly NewMessage[],
  now: number,
): Promise<void> {
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

/** Sets the end of each chain to its last message. */
async function moveChains(queries: Queries, messages: readonly NewMessage[]): Promise<void> {
  const ends = new Map(
    messages.map((message) => [
      `${message.subscriber.rowId} ${message.type} ${message.subject}`,
      message,
    ]),
  );
  if (ends.size === 0) return;
  await queries
    .insertInto('webhookChains')
    .values(
      [...ends.values()].map(({ subscriber, type, subject, seq }) => ({
        webhookRowId: subscriber.rowId,
        type,
        subject,
        startSeq: subscriber.chains.get(type)!.startSeq,
        seq,
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['webhookRowId', 'type', 'subject'])
        .doUpdateSet(({ ref }) => ({ seq: ref('excluded.seq') })),
    )
    .execute();
}
