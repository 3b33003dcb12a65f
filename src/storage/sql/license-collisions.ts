import { occupiedBy } from '../../licensing/issued-license.ts';
import { type Buyer, type Occupation, overlaps } from '../../licensing/quote.ts';
import { parseStored } from '../stored-value.ts';
import type { Queries, SqlDialect } from './database.ts';

/** The licenses of tracks that one statement reads. Most tracks have few that may collide. */
const READ_AT_ONCE = 500;

/** Returns the ids of those tracks of which another's license collides with a use (`QuoteStore.collisions`). */
export async function collisionsOf(
  queries: Queries,
  dialect: SqlDialect,
  trackIds: readonly string[],
  use: Occupation,
  buyer: Buyer,
  now: number,
): Promise<ReadonlySet<string>> {
  const collided = new Set<string>();
  const account = await accountOf(queries, buyer.clientId);
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const open = trackIds.filter((id) => !collided.has(id));
    if (open.length === 0) return collided;
    const rows = await candidates(queries, dialect, open, { use, buyer, account, now, before });
    for (const { trackId, document, ...term } of rows) {
      const other = occupiedBy({ terms: parseStored(document), ...term });
      if (overlaps(use, other)) collided.add(trackId);
    }
    if (rows.length < READ_AT_ONCE) return collided;
    // A license has fewer tracks than a page has rows, so a page always reaches the next one.
    before = rows.at(-1)!.licenseRowId + 1;
  }
}

/** Returns licenses of tracks that may collide with a use, the newest first. */
function candidates(
  queries: Queries,
  { isOneOf }: SqlDialect,
  trackIds: readonly string[],
  {
    use,
    buyer,
    account,
    now,
    before,
  }: { use: Occupation; buyer: Buyer; account: string | null; now: number; before: number },
) {
  let query = queries
    .selectFrom('issuedLicenseTracks as held')
    .innerJoin('issuedLicenses as license', 'license.rowId', 'held.licenseRowId')
    .leftJoin('clients as holder', 'holder.id', 'license.clientId')
    .select(['held.trackId', 'held.licenseRowId'])
    .select(['license.document', 'license.startsAt', 'license.endsAt'])
    .where(({ ref }) => isOneOf(ref('held.trackId'), trackIds))
    .where('held.licenseRowId', '<', before)
    .where('license.mode', '=', buyer.mode)
    .where('license.revokedAt', 'is', null)
    .where(({ or, eb }) =>
      or([
        eb('license.endsAt', 'is', null),
        eb('license.endsAt', '>', Math.max(now, use.startsAt)),
      ]),
    )
    .orderBy('held.licenseRowId', 'desc')
    .limit(READ_AT_ONCE);
  if (use.endsAt !== null) query = query.where('license.startsAt', '<', use.endsAt);
  if (!use.exclusive) query = query.where('held.exclusive', '=', true);
  if (buyer.mode === 'test') {
    query = query.where('license.clientId', '=', buyer.clientId);
  } else {
    query = query.where('license.clientId', '<>', buyer.clientId);
    if (account !== null) {
      query = query.where(({ or, eb }) =>
        or([eb('holder.account', 'is', null), eb('holder.account', '<>', account)]),
      );
    }
  }
  return query.execute();
}

async function accountOf(queries: Queries, clientId: string): Promise<string | null> {
  const client = await queries
    .selectFrom('clients')
    .select('account')
    .where('id', '=', clientId)
    .executeTakeFirst();
  return client?.account ?? null;
}
