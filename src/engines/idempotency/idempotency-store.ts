import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { ExpressionBuilder, InsertObject } from 'kysely';
import type { OpenWrite } from '../../common/caller.ts';
import type { Clock } from '../../common/clock.ts';
import { StaveError } from '../../common/errors.ts';
import { grouped, limited } from '../../common/work/limited.ts';
import { compiledOnce, type Queries, RowsInUse, type SqlDatabase } from '../sql/database.ts';
import { inSlices } from '../sql/slices.ts';
import { SqlStore } from '../sql/sql-store.ts';
import { parseStored } from '../sql/stored-value.ts';
import type { Tables } from '../sql/tables/tables.ts';
import {
  CLAIM_MS,
  inProgress,
  KEY_MS,
  type KeptResponse,
  type KeyClaim,
  type KeyedRequest,
  MAX_KEPT_BYTES,
  otherRequest,
  tooLongToKeep,
} from './idempotency.ts';

/** Longer bodies are compressed, which takes less time than writing them does. */
const PLAIN_BYTES = 1024;
/** The first byte of what gzip writes. An envelope begins with a brace. */
const GZIP_MARK = 0x1f;

/**
 * How long keys are claimed by statements of their own after a group has waited in vain for another transaction, whose
 * node may hang, and how many at the same time. The database ends such a transaction after 15 s.
 */
const ALONE_MS = 5_000;
const ALONE_AT_ONCE = 4;

/** The number of different ids of claims. */
const CLAIM_IDS = 2 ** 48 - 1;

/** The most keys that one statement claims. */
const MAX_CLAIMS = 16;

type KeyId = Pick<KeyedRequest, 'clientId' | 'mode' | 'key'>;
type ClaimId = KeyId & Pick<KeyClaim, 'until' | 'id'>;

function idOf({ clientId, mode, key }: KeyId): string {
  // A key contains no spaces.
  return `${clientId} ${mode} ${key}`;
}

type Condition = ExpressionBuilder<Tables, 'idempotencyKeys'>;

function isOf({ clientId, mode, key }: KeyId) {
  return ({ and }: Condition) => and({ clientId, mode, key });
}

/** Whether the key is still the claim's, and its request has not ended. */
function isClaimed({ clientId, mode, key, until, id }: ClaimId) {
  return ({ and }: Condition) =>
    and({ clientId, mode, key, state: 'pending', claimedUntil: until, claimId: id });
}

/** The members of claims that are stored, as parameters: with the place of the claim after the name. */
const CLAIM_MEMBERS = ['clientId', 'mode', 'key', 'fingerprint', 'until', 'id'] as const;
type GivenClaims = Record<string, string | number | Buffer>;

/**
 * The statements that claim the keys without a row of one request, two requests and so on. They return the claims. They
 * leave the key of a request in progress alone. On PostgreSQL, they wait for the end of other transactions that insert,
 * change or delete the rows of the keys, as `unflushed` does.
 */
const INSERT_CLAIMS = Array.from({ length: MAX_CLAIMS }, (_, last) =>
  compiledOnce((queries, given: GivenClaims) =>
    queries
      .insertInto('idempotencyKeys')
      .values(Array.from({ length: last + 1 }, (__, place) => claimAt(place, given)))
      .onConflict((conflict) => conflict.columns(['clientId', 'mode', 'key']).doNothing())
      .returning('claimId'),
  ),
);

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
const takeKey = compiledOnce(
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

const selectKey = compiledOnce((queries, id: KeyId) =>
  queries
    .selectFrom('idempotencyKeys')
    .select(['fingerprint', 'state', 'claimedUntil', 'claimId', 'createdAt'])
    .select(['status', 'headers', 'body'])
    .where(isOf(id)),
);

/** Returns a row if the claim was not lost. */
const keepResponse = compiledOnce(
  (queries, values: ClaimId & { status: number; headers: string; body: Buffer }) => {
    const { status, headers, body } = values;
    return queries
      .updateTable('idempotencyKeys')
      .set({ state: 'done', status, headers, body })
      .where(isClaimed(values))
      .returning('key');
  },
);

const deleteClaim = compiledOnce((queries, claim: ClaimId) =>
  queries.deleteFrom('idempotencyKeys').where(isClaimed(claim)).returning('key'),
);

async function deleteSlice(queries: Queries, before: number, limit: number): Promise<number> {
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

/** The idempotency keys of the last 24 hours. They are not in the change log. */
export class IdempotencyStore extends SqlStore {
  readonly #late: LateReleases;

  /** Requests that arrive together share one statement, and its commit. */
  readonly #claimTogether = grouped(
    (claims: readonly KeyClaim[]) => this.#insertClaims(claims),
    MAX_CLAIMS,
  );
  /** Until when each key is claimed by a statement of its own, by performance.now(). */
  #aloneUntil = 0;
  readonly #inTurn = limited(ALONE_AT_ONCE);

  constructor(database: SqlDatabase, clock: Clock) {
    super(database, clock);
    this.#late = new LateReleases((claim) => this.#delete(claim), clock);
  }

  /**
   * Claims the key of a request, or returns the response that the key has. Throws `idempotency_mismatch` if the key
   * belongs to another request, and `conflict` if the request is in progress. Does not wait for the disk. Gives the
   * key back, as `release` does, if the store becomes unavailable.
   */
  async claim(request: KeyedRequest): Promise<KeyClaim | KeptResponse> {
    const until = this.clock.now() + CLAIM_MS;
    const claim: KeyClaim = { ...request, until, id: randomInt(CLAIM_IDS) };
    try {
      return await this.#claimOrFind(claim);
    } catch (error) {
      // It may be stored nevertheless, if only an answer of the database was lost.
      if (!isRefusal(error)) this.#late.add(claim, true);
      throw error;
    }
  }

  /**
   * Keeps the response for repeated requests, in the transaction of the change that the request has made, or in one of
   * its own. Throws `conflict` if the claim was taken over or the body is too long, so that the change is undone.
   */
  keep(claim: KeyClaim, response: KeptResponse, transaction?: OpenWrite): Promise<void> {
    const given = {
      ...claim,
      status: response.status,
      headers: JSON.stringify(response.headers),
      body: packed(response.body),
    };
    const keep = async (queries: Queries) => {
      if ((await keepResponse(queries, given)).length === 0) throw inProgress();
    };
    return transaction === undefined
      ? this.database.apart(keep)
      : keep(transaction.queries as Queries);
  }

  /**
   * Gives back the key of a request that has changed nothing. Does nothing if the claim was lost or used. While the
   * store is unavailable, resolves at once, and gives the key back when the store is available again.
   */
  async release(claim: KeyClaim): Promise<void> {
    try {
      await this.#delete(claim);
    } catch {
      this.#late.add(claim, false);
    }
  }

  /**
   * Deletes the keys that are no longer valid, in transactions of up to 2,000 rows and less than 50 ms. Returns how
   * many. The signal ends it after a transaction.
   */
  async expire(signal?: AbortSignal): Promise<number> {
    const before = this.clock.now() - KEY_MS;
    let expired = 0;
    const deleteSome = async (rows: number) => {
      const deleted = await this.database.discard((queries) => deleteSlice(queries, before, rows));
      expired += deleted;
      return deleted === rows;
    };
    await inSlices(this.database, deleteSome, { signal });
    return expired;
  }

  async #claimOrFind(claim: KeyClaim): Promise<KeyClaim | KeptResponse> {
    if (await this.#claimNew(claim)) return claim;
    const [known] = await selectKey(this.database.queries, claim);
    // Without a row, its request failed between the two statements.
    if (known === undefined) throw inProgress();
    if (isRowOf(known, claim)) return claim;
    const now = this.clock.now();
    const isGivenUp = known.state === 'pending' && known.claimedUntil <= now;
    if (isGivenUp || known.createdAt <= now - KEY_MS) return this.#takeOver(claim, now);
    if (!known.fingerprint.equals(claim.fingerprint)) throw otherRequest();
    if (known.state === 'pending') throw inProgress();
    return {
      status: known.status!,
      headers: parseStored(known.headers!),
      body: unpacked(known.body!),
    };
  }

  /** Claims a key that has no row. Returns false if it has one, perhaps of the claim itself. */
  async #claimNew(claim: KeyClaim): Promise<boolean> {
    if (performance.now() >= this.#aloneUntil) {
      try {
        return await this.#claimTogether(claim);
      } catch (error) {
        if (!(error instanceof RowsInUse)) throw error;
        this.#aloneUntil = performance.now() + ALONE_MS;
      }
    }
    return this.#inTurn(async () => {
      // To read a row waits for nobody who changes it.
      if ((await selectKey(this.database.queries, claim)).length > 0) return false;
      const [isClaimed = false] = await this.#insertClaims([claim]).catch(unlessInUse);
      return isClaimed;
    });
  }

  /**
   * Stores the claims of keys that have no row, and of each key only one. Returns which were stored. If the
   * statement was repeated because its connection was lost, these are missing, so a claim must recognize its own row.
   * Rejects with RowsInUse if another transaction is changing one of the keys and does not end.
   */
  async #insertClaims(claims: readonly KeyClaim[]): Promise<readonly boolean[]> {
    const given: GivenClaims = { now: this.clock.now() };
    // Two nodes that claim the same keys take them in the same order, so that they do not block each other.
    const sorted = claims.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
    for (const [place, claim] of sorted.entries()) {
      for (const member of CLAIM_MEMBERS) given[`${member}${place}`] = claim[member];
    }
    const insert = INSERT_CLAIMS[claims.length - 1]!;
    const rows = await insert(this.database.unflushed, given);
    const stored = new Set(rows.map(({ claimId }) => claimId));
    return claims.map(({ id }) => stored.has(id));
  }

  /** Claims a key that is no longer valid, or was given up. Throws `conflict` if another request was faster. */
  async #takeOver(claim: KeyClaim, now: number): Promise<KeyClaim> {
    const given = { ...claim, now, oldest: now - KEY_MS };
    const taken = await takeKey(this.database.unflushed, given).catch(unlessInUse);
    if (taken.length > 0) return claim;
    const [known] = await selectKey(this.database.queries, claim);
    if (known === undefined || !isRowOf(known, claim)) throw inProgress();
    return claim;
  }

  /** Returns whether the claim was stored. */
  async #delete(claim: KeyClaim): Promise<boolean> {
    return (await deleteClaim(this.database.unflushed, claim)).length > 0;
  }
}

/** Whether an error says that another request has the key. */
function isRefusal(error: unknown): boolean {
  return error instanceof StaveError && error.kind !== 'unavailable';
}

/** Whether a row was stored by a claim, whose request has not ended. */
function isRowOf(row: { state: string; claimedUntil: number; claimId: number }, claim: KeyClaim) {
  return row.state === 'pending' && row.claimedUntil === claim.until && row.claimId === claim.id;
}

/** Returns no rows for a statement that found its rows in use, as if they belonged to another request. */
function unlessInUse(error: unknown): [] {
  if (error instanceof RowsInUse) return [];
  throw error;
}

function packed(body: Buffer): Buffer {
  if (body.length > MAX_KEPT_BYTES) throw tooLongToKeep();
  return body.length > PLAIN_BYTES ? gzipSync(body, { level: 1 }) : body;
}

function unpacked(stored: Buffer): Buffer {
  return stored[0] === GZIP_MARK ? gunzipSync(stored, { maxOutputLength: MAX_KEPT_BYTES }) : stored;
}

/** The pause between two attempts, and the first pause for a claim that was not found, in milliseconds. */
const RETRY_MS = 250;
/** More than the claims that are open when an outage begins. */
const MOST = 1_000;

/** A claim that is not given back yet. */
interface Late {
  claim: KeyClaim;
  /** Whether it may reach the database later. */
  isLost: boolean;
  /** The pause after the next attempt. */
  pauseMs: number;
  /** When it is tried again, by performance.now(). */
  dueAt: number;
}

/**
 * The claims that could not be given back because the database was unavailable. Tries again until it answers, or until
 * the claims have expired. A claim whose answer was lost may be stored after an attempt to give it back, so the attempts
 * continue until one finds it, with longer and longer pauses: it is then given back at most as late again as it came.
 */
export class LateReleases {
  readonly #release: (claim: KeyClaim) => Promise<boolean>;
  readonly #clock: Clock;
  readonly #late = new Set<Late>();

  /** @param release gives a claim back; returns whether it was stored */
  constructor(release: (claim: KeyClaim) => Promise<boolean>, clock: Clock) {
    this.#release = release;
    this.#clock = clock;
  }

  /**
   * Adds a claim. Ignores it if there are very many: it expires.
   *
   * @param isLost whether it may not be stored yet, and may be stored later
   */
  add(claim: KeyClaim, isLost: boolean): void {
    if (this.#late.size === MOST) return;
    this.#late.add({ claim, isLost, pauseMs: RETRY_MS, dueAt: 0 });
    if (this.#late.size === 1) void this.#run();
  }

  async #run(): Promise<void> {
    while (this.#late.size > 0) {
      await sleep(RETRY_MS, undefined, { ref: false });
      for (const late of [...this.#late].filter(({ dueAt }) => dueAt <= performance.now())) {
        if (!(await this.#try(late))) break;
      }
    }
  }

  /** Returns false if the database did not answer. */
  async #try(late: Late): Promise<boolean> {
    this.#late.delete(late);
    if (late.claim.until <= this.#clock.now()) return true;
    try {
      if ((await this.#release(late.claim)) || !late.isLost) return true;
    } catch {
      // After the others, of which one may succeed.
      this.#late.add(late);
      return false;
    }
    late.dueAt = performance.now() + late.pauseMs;
    late.pauseMs *= 2;
    this.#late.add(late);
    return true;
  }
}
