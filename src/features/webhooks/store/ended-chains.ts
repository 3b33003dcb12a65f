import type { SqlDatabase } from '../../../engines/sql/database.ts';
import { inSlices } from '../../../engines/sql/slices.ts';
import type { EventType } from '../webhook.ts';

/** What is needed to delete chains. */
type Deleting = Pick<SqlDatabase, 'queries' | 'dialect' | 'discard' | 'settle'>;

/** A place among all chains, in the order of their key. */
interface Place {
  webhookRowId: number;
  type: EventType;
  subject: string;
}

/**
 * Deletes the chains of collections that were deleted, except those whose message about that is not made yet. Works in
 * short statements.
 */
export async function deleteEndedChains(database: Deleting, signal?: AbortSignal): Promise<void> {
  let place: Place | undefined;
  const deleteSome = async (limit: number) => {
    place = await deleteAfter(database, place, limit);
    return place !== undefined;
  };
  await inSlices(deleteSome, { between: () => database.settle(), signal });
}

/** Examines some chains after a place, or the first ones. Returns the next place; undefined at the end. */
async function deleteAfter(
  database: Deleting,
  place: Place | undefined,
  limit: number,
): Promise<Place | undefined> {
  const { queries } = database;
  const { isOneOf } = database.dialect;
  // Every change up to here is in a message of each endpoint that gets it.
  const position = await queries.selectFrom('webhookPosition').select('seq').executeTakeFirst();
  if (position === undefined) return undefined;
  let select = queries
    .selectFrom('webhookChains')
    .select(['webhookRowId', 'type', 'subject'])
    .orderBy('webhookRowId')
    .orderBy('type')
    .orderBy('subject')
    .limit(limit);
  if (place !== undefined) {
    const { webhookRowId, type, subject } = place;
    select = select.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('webhookRowId', 'type', 'subject'), '>', tuple(webhookRowId, type, subject)),
    );
  }
  const chains = await select.execute();
  const ofCollections = chains.filter(
    ({ type, subject }) => type === 'collection.updated' && subject !== '',
  );
  const subjects = [...new Set(ofCollections.map(({ subject }) => subject))];
  const present = await queries
    .selectFrom('collections')
    .select('id')
    .where(({ ref }) => isOneOf(ref('id'), subjects))
    .execute();
  const known = new Set(present.map(({ id }) => id));
  const ended = ofCollections.filter(({ subject }) => !known.has(subject));
  if (ended.length > 0) {
    const rowIds = [...new Set(ended.map(({ webhookRowId }) => webhookRowId))];
    const deleted = [...new Set(ended.map(({ subject }) => subject))];
    await database.discard((transaction) =>
      transaction
        .deleteFrom('webhookChains')
        .where(({ ref }) => isOneOf(ref('webhookRowId'), rowIds))
        .where('type', '=', 'collection.updated')
        .where(({ ref }) => isOneOf(ref('subject'), deleted))
        .where('held', 'is', null)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('changeLog')
                .select('changeLog.seq')
                .where('entity', '=', 'collection')
                .where('changeLog.seq', '>', position.seq)
                .whereRef('entityId', '=', 'webhookChains.subject'),
            ),
          ),
        )
        .execute(),
    );
  }
  return chains.length < limit ? undefined : chains.at(-1);
}
