import { gunzipSync, gzipSync } from 'node:zlib';
import type { ExpressionBuilder, InsertObject } from 'kysely';
import {
  CLAIM_MS,
  type IdempotencyStore,
  inProgress,
  KEY_MS,
  type KeptResponse,
  type KeyClaim,
  type KeyedRequest,
  MAX_KEPT_BYTES,
  otherRequest,
} from '../../access/idempotency.ts';
import type { OpenWrite } from '../../access/write-context.ts';
import type { Clock } from '../../common/clock.ts';
import { grouped } from '../../common/grouped.ts';
import { inSlices } from '../slices.ts';
import { parseStored } from '../stored-value.ts';
import { compiledOnce } from './compiled-query.ts';
import type { Queries, SqlDatabase } from './database.ts';
import { LateReleases } from './late-releases.ts';
import type { Tables } from './tables.ts';

/** Longer bodies are compressed, which takes less time than writing them does. */
const PLAIN_BYTES = 1024;
/** The first byte of what gzip writes. An envelope begins with a brace. */
const GZIP_MARK = 0x1f;

/** The most keys that one statement claims. */
const MOST_CLAIMS = 16;

/** The idempotency keys of clients, and the responses to their requests. */
export class SqlIdempotencyStore implements IdempotencyStore {
  readonly #database: SqlDatabase;
  readonly #clock: Clock;
  readonly #late: LateReleases;

  /** Claims a key that has no row. Requests that arrive together share one statement, and its commit. */
  readonly #claimNew = grouped(
    (requests: readonly KeyedRequest[]) => this.#insertClaims(requests),
    MOST_CLAIMS,
  );

  constructor(database: SqlDatabase, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
    this.#late = new LateReleases((claim) => this.#delete(claim), clock);
  }

  async claim(request: KeyedRequest): Promise<KeyClaim | KeptResponse> {
    const claim = await this.#claimNew(request);
    if (claim !== undefined) return claim;
    const [known] = await selectKey(this.#database.queries, { ...request });
    // Without a row, its request failed between the two statements.
    if (known === undefined) throw inProgress();
    const now = this.#clock.now();
    const isGivenUp = known.state === 'pending' && known.claimedUntil <= now;
    if (isGivenUp || known.createdAt <= now - KEY_MS) return this.#takeOver(request, now);
    if (!known.fingerprint.equals(request.fingerprint)) throw otherRequest();
    if (known.state === 'pending') throw inProgress();
    return {
      status: known.status!,
      headers: parseStored(known.headers!),
      body: unpacked(known.body!),
    };
  }

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

  async release(claim: KeyClaim): Promise<void> {
    await this.#delete(claim).catch(() => this.#late.add(claim));
  }

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

  /** Returns a claim for each key that had no row, in the order of the requests. A key is claimed once. */
  async #insertClaims(
    requests: readonly KeyedRequest[],
  ): Promise<readonly (KeyClaim | undefined)[]> {
    const now = this.#clock.now();
    const until = now + CLAIM_MS;
    const given: GivenClaims = { until, now };
    // Two nodes that claim the same keys take them in the same order, so that they do not block each other.
    const sorted = requests.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
    for (const [place, request] of sorted.entries()) {
      for (const member of CLAIM_MEMBERS) given[`${member}${place}`] = request[member];
    }
    const claims = requests.map((request) => ({ ...request, until }));
    const insert = INSERT_CLAIMS[requests.length - 1]!;
    const rows = await this.#claiming(claims, insert(this.#database.unflushed, given));
    const claimed = new Set(rows.map(idOf));
    return claims.map((claim) => (claimed.delete(idOf(claim)) ? claim : undefined));
  }

  /** Claims a key that is no longer valid, or was given up. Throws `conflict` if another request was faster. */
  async #takeOver(request: KeyedRequest, now: number): Promise<KeyClaim> {
    const claim = { ...request, until: now + CLAIM_MS };
    const given = { ...claim, now, oldest: now - KEY_MS };
    const taken = await this.#claiming([claim], takeKey(this.#database.unflushed, given));
    if (taken.length === 0) throw inProgress();
    return claim;
  }

  /** Waits for a statement that stores claims, which are given back if it fails. */
  async #claiming<Row>(claims: readonly KeyClaim[], statement: Promise<Row[]>): Promise<Row[]> {
    try {
      return await statement;
    } catch (error) {
      // They may be stored nevertheless, if only the answer of the database was lost.
      for (const claim of claims) this.#late.add(claim);
      throw error;
    }
  }

  async #delete(claim: KeyClaim): Promise<void> {
    await deleteClaim(this.#database.unflushed, { ...claim });
  }
}

/** What identifies a key. */
type KeyId = Pick<KeyedRequest, 'clientId' | 'mode' | 'key'>;
/** What identifies a claim of a key. */
type ClaimId = KeyId & Pick<KeyClaim, 'until'>;

/** Returns what identifies a key as a text. */
function idOf({ clientId, mode, key }: KeyId): string {
  // A key contains no spaces.
  return `${clientId} ${mode} ${key}`;
}

type Condition = ExpressionBuilder<Tables, 'idempotencyKeys'>;

function isOf({ clientId, mode, key }: KeyId) {
  return ({ and }: Condition) => and({ clientId, mode, key });
}

/** Whether the key is still the claim's, and its request has not ended. */
function isClaimed({ clientId, mode, key, until }: ClaimId) {
  return ({ and }: Condition) =>
    and({ clientId, mode, key, state: 'pending', claimedUntil: until });
}

/** The members of requests that a claim stores, as parameters: with the place of the request after the name. */
const CLAIM_MEMBERS = ['clientId', 'mode', 'key', 'fingerprint'] as const;
type GivenClaims = Record<string, string | number | Buffer>;

/**
 * The statements that claim the keys without a row of one request, two requests and so on. They return the keys. They
 * leave the key of a request in progress alone. On PostgreSQL, they wait for the commit of other claims, and for that of
 * a transaction that has kept the response of one of the keys, or deleted it.
 */
const INSERT_CLAIMS = Array.from({ length: MOST_CLAIMS }, (_, last) =>
  compiledOnce((queries, given: GivenClaims) =>
    queries
      .insertInto('idempotencyKeys')
      .values(Array.from({ length: last + 1 }, (__, place) => claimAt(place, given)))
      .onConflict((conflict) => conflict.columns(['clientId', 'mode', 'key']).doNothing())
      .returning(['clientId', 'mode', 'key']),
  ),
);

/** Returns the row of a claim. */
function claimAt(place: number, given: GivenClaims) {
  const row = { state: 'pending', claimedUntil: given.until, createdAt: given.now };
  const request = CLAIM_MEMBERS.map((member) => [member, given[`${member}${place}`]]);
  return { ...row, ...Object.fromEntries(request) } as InsertObject<Tables, 'idempotencyKeys'>;
}

/**
 * Claims a key that was given up, or was claimed no later than `oldest` and so is no longer valid. Returns a row if the
 * key is the claim's now.
 */
const takeKey = compiledOnce(
  (queries, values: ClaimId & { fingerprint: Buffer; now: number; oldest: number }) => {
    const { fingerprint, until, now, oldest } = values;
    return queries
      .updateTable('idempotencyKeys')
      .set({
        fingerprint,
        state: 'pending',
        claimedUntil: until,
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
    .select(['fingerprint', 'state', 'claimedUntil', 'createdAt', 'status', 'headers', 'body'])
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

/** Deletes up to `limit` rows. Returns how many. */
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

function packed(body: Buffer): Buffer {
  if (body.length > MAX_KEPT_BYTES) {
    throw new Error(`A response of ${body.length} bytes cannot be kept for an Idempotency-Key.`);
  }
  return body.length > PLAIN_BYTES ? gzipSync(body, { level: 1 }) : body;
}

function unpacked(stored: Buffer): Buffer {
  return stored[0] === GZIP_MARK ? gunzipSync(stored, { maxOutputLength: MAX_KEPT_BYTES }) : stored;
}
