import { randomInt } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { OpenWrite } from '../../common/caller.ts';
import type { Clock } from '../../common/clock.ts';
import { StaveError } from '../../common/errors.ts';
import { grouped, limited } from '../../common/work/limited.ts';
import { type Queries, RowsInUse, type SqlDatabase } from '../sql/database.ts';
import { inSlices } from '../sql/slices.ts';
import { parseStored } from '../sql/stored-value.ts';
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
import {
  CLAIM_MEMBERS,
  deleteClaim,
  deleteSlice,
  type GivenClaims,
  INSERT_CLAIMS,
  idOf,
  keepResponse,
  MAX_CLAIMS,
  selectKey,
  takeKey,
} from './idempotency-queries.ts';
import { LateReleases } from './late-releases.ts';

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

/** The idempotency keys of the last 24 hours. They are not in the change log. */
export class IdempotencyStore {
  readonly #database: SqlDatabase;
  readonly #clock: Clock;
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
    this.#database = database;
    this.#clock = clock;
    this.#late = new LateReleases((claim) => this.#delete(claim), clock);
  }

  /**
   * Claims the key of a request, or returns the response that the key has. Throws `idempotency_mismatch` if the key
   * belongs to another request, and `conflict` if the request is in progress. Does not wait for the disk. Gives the
   * key back, as `release` does, if the store becomes unavailable.
   */
  async claim(request: KeyedRequest): Promise<KeyClaim | KeptResponse> {
    const until = this.#clock.now() + CLAIM_MS;
    const claim: KeyClaim = { ...request, until, id: randomInt(CLAIM_IDS) };
    try {
      return await this.#claimOrFind(claim);
    } catch (error) {
      // It may be stored nevertheless, if only an answer of the database was lost.
      if (!isRefusal(error)) this.#late.addLost(claim);
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
      ? this.#database.apart(keep)
      : keep(transaction.queries as Queries);
  }

  /**
   * Gives the key of a request back that has changed nothing. Does nothing if the claim was lost or used. While the
   * store is unavailable, resolves at once, and gives the key back when the store is available again.
   */
  async release(claim: KeyClaim): Promise<void> {
    try {
      await this.#delete(claim);
    } catch {
      this.#late.add(claim);
    }
  }

  /**
   * Deletes the keys that are no longer valid, in transactions of up to 2,000 rows and less than 50 ms. Returns how
   * many. The signal ends it after a transaction.
   */
  async expire(signal?: AbortSignal): Promise<number> {
    const before = this.#clock.now() - KEY_MS;
    let expired = 0;
    const deleteSome = async (rows: number) => {
      const deleted = await this.#database.discard((queries) => deleteSlice(queries, before, rows));
      expired += deleted;
      return deleted === rows;
    };
    await inSlices(deleteSome, { between: () => this.#database.settle(), signal });
    return expired;
  }

  async #claimOrFind(claim: KeyClaim): Promise<KeyClaim | KeptResponse> {
    if (await this.#claimNew(claim)) return claim;
    const [known] = await selectKey(this.#database.queries, claim);
    // Without a row, its request failed between the two statements.
    if (known === undefined) throw inProgress();
    if (isOf(known, claim)) return claim;
    const now = this.#clock.now();
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
      if ((await selectKey(this.#database.queries, claim)).length > 0) return false;
      const [isClaimed = false] = await this.#insertClaims([claim]).catch(unlessInUse);
      return isClaimed;
    });
  }

  /**
   * Stores the claims of keys that have no row, and of each key only one. Returns which were stored. If the statement
   * was repeated because its answer could not be read, these are missing, so a claim must recognize its own row. Rejects
   * with RowsInUse if another transaction is changing one of the keys and does not end.
   */
  async #insertClaims(claims: readonly KeyClaim[]): Promise<readonly boolean[]> {
    const given: GivenClaims = { now: this.#clock.now() };
    // Two nodes that claim the same keys take them in the same order, so that they do not block each other.
    const sorted = claims.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
    for (const [place, claim] of sorted.entries()) {
      for (const member of CLAIM_MEMBERS) given[`${member}${place}`] = claim[member];
    }
    const insert = INSERT_CLAIMS[claims.length - 1]!;
    const rows = await insert(this.#database.unflushed, given);
    const stored = new Set(rows.map(({ claimId }) => claimId));
    return claims.map(({ id }) => stored.has(id));
  }

  /** Claims a key that is no longer valid, or was given up. Throws `conflict` if another request was faster. */
  async #takeOver(claim: KeyClaim, now: number): Promise<KeyClaim> {
    const given = { ...claim, now, oldest: now - KEY_MS };
    const taken = await takeKey(this.#database.unflushed, given).catch(unlessInUse);
    if (taken.length > 0) return claim;
    const [known] = await selectKey(this.#database.queries, claim);
    if (known === undefined || !isOf(known, claim)) throw inProgress();
    return claim;
  }

  /** Returns whether the claim was stored and is not any more. */
  async #delete(claim: KeyClaim): Promise<boolean> {
    return (await deleteClaim(this.#database.unflushed, claim)).length > 0;
  }
}

/** Whether an error says that another request has the key. */
function isRefusal(error: unknown): boolean {
  return error instanceof StaveError && error.kind !== 'unavailable';
}

/** Whether a row was stored by a claim, whose request has not ended. */
function isOf(row: { state: string; claimedUntil: number; claimId: number }, claim: KeyClaim) {
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
