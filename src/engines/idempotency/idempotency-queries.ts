import type { ExpressionBuilder, InsertObject } from 'kysely';
import { compiledOnce, type Queries } from '../sql/database.ts';
import type { Tables } from '../sql/tables/tables.ts';
import type { KeyClaim, KeyedRequest } from './idempotency.ts';

/** The most keys that one statement claims. */
export const MAX_CLAIMS = 16;

/** What identifies a key. */
type KeyId = Pick<KeyedRequest, 'clientId' | 'mode' | 'key'>;
/** What identifies a claim of a key. */
type ClaimId = KeyId & Pick<KeyClaim, 'until' | 'id'>;

/** Returns what identifies a key as a text. */
export function idOf({ clientId, mode, key }: KeyId): string {
  // A key contains no spaces.
  return `${clientId} ${mode} ${key}`;
}

type Condition = ExpressionBuilder<Tables, 'idempotencyKeys'>;

function isOf({ clientId, mode, key }: KeyId) {
  return ({ and }: Condition) => and({ clientId, mode, key });
}

/** Whether the key is still the claim's, and its request has not ended. */
function isClaimed({ clientId, mode, key, until, id }: ClaimId) {
  // The previous version of the program takes a key over without changing the id.
  return ({ and }: Condition) =>
    and({ clientId, mode, key, state: 'pending', claimedUntil: until, claimId: id });
}

/** The members of claims that are stored, as parameters: with the place of the claim after the name. */
export const CLAIM_MEMBERS = ['clientId', 'mode', 'key', 'fingerprint', 'until', 'id'] as const;
export type GivenClaims = Record<string, string | number | Buffer>;

/**
 * The statements that claim the keys without a row of one request, two requests and so on. They return the claims. They
 * leave the key of a request in progress alone. On PostgreSQL, they wait for the end of other transactions that insert,
 * change or delete the rows of the keys, as `unflushed` does.
 */
export const INSERT_CLAIMS = Array.from({ length: MAX_CLAIMS }, (_, last) =>
  compiledOnce((queries, given: GivenClaims) =>
    queries
      .insertInto('idempotencyKeys')
      .values(Array.from({ length: last + 1 }, (__, place) => claimAt(place, given)))
      .onConflict((conflict) => conflict.columns(['clientId', 'mode', 'key']).doNothing())
      .returning('claimId'),
  ),
);

/** Returns the row of a claim. */
function claimAt(place: number, given: GivenClaims) {
  const claim = Object.fromEntries(
    CLAIM_MEMBERS.map((member) => [member, given[`${member}${place}`]]),
  );
  const { until: claimedUntil, id: claimId, ...request } = claim;
  const row = { ...request, state: 'pending', claimedUntil, claimId, createdAt: given.now };
  return row as InsertObject<Tables, 'idempotencyKeys'>;
}

/**
 * Claims a key that was given up, or was claimed no later than `oldest` and so is no longer valid. Returns a row if the
 * key is the claim's now.
 */
export const takeKey = compiledOnce(
  (queries, values: ClaimId & { fingerprint: Buffer; now: number; oldest: number }) => {
    const { fingerprint, until, id, now, oldest } = values;
    return queries
      .updateTable('idempotencyKeys')
      .set({
        fingerprint,
        state: 'pending',
        claimedUntil: until,
        claimId: id,
        status: null,
        headers: null,
        body: null,
        createdAt: now,
      })
      .where(isOf(values))
      .where(({ and, or, eb }) =>
        or([
          eb('createdAt', '<=', oldest),
          and([eb('state', '=', 'pending'), eb('claimedUntil', '<=', now)]),
        ]),
      )
      .returning('key');
  },
);

export const selectKey = compiledOnce((queries, id: KeyId) =>
  queries
    .selectFrom('idempotencyKeys')
    .select(['fingerprint', 'state', 'claimedUntil', 'claimId', 'createdAt'])
    .select(['status', 'headers', 'body'])
    .where(isOf(id)),
);

/** Returns a row if the claim was not lost. */
export const keepResponse = compiledOnce(
  (queries, values: ClaimId & { status: number; headers: string; body: Buffer }) => {
    const { status, headers, body } = values;
    return queries
      .updateTable('idempotencyKeys')
      .set({ state: 'done', status, headers, body })
      .where(isClaimed(values))
      .returning('key');
  },
);

export const deleteClaim = compiledOnce((queries, claim: ClaimId) =>
  queries.deleteFrom('idempotencyKeys').where(isClaimed(claim)).returning('key'),
);

/** Deletes up to `limit` rows. Returns how many. */
export async function deleteSlice(
  queries: Queries,
  before: number,
  limit: number,
): Promise<number> {
  const { numDeletedRows } = await queries
    .deleteFrom('idempotencyKeys')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('clientId', 'mode', 'key'),
        'in',
        selectFrom('idempotencyKeys as old')
          .select(['old.clientId', 'old.mode', 'old.key'])
          .where('old.createdAt', '<=', before)
          .orderBy('old.createdAt')
          .limit(limit)
          .$asTuple('clientId', 'mode', 'key'),
      ),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
