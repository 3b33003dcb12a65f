import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestClock } from '../../../../test/harness/clock.ts';
import { openOn } from '../../../../test/harness/postgres-store.ts';
import {
  createDatabase,
  POSTGRES_URL,
  type TestDatabase,
} from '../../../../test/harness/services.ts';
import { openDatabase } from '../../../../test/harness/sql-databases.ts';
import { adapterNamed } from '../../../../test/harness/store-adapters.ts';
import type { Store } from '../../../features/store.ts';
import { CLAIM_MS, type KeyClaim, type KeyedRequest } from '../../idempotency/idempotency.ts';
import { IdempotencyStore } from '../../idempotency/idempotency-store.ts';
import type { Queries } from '../database.ts';

const requestOf = (key: string): KeyedRequest => ({
  clientId: 'one',
  mode: 'live',
  key,
  fingerprint: Buffer.alloc(32),
});
const response = { status: 200, headers: {}, body: Buffer.from('{}') };
const busy = { kind: 'conflict', headers: { 'Retry-After': '1' } };

/** A node that hangs in a transaction does not end it before the test does, so what waits for it fails the test. */
describe.skipIf(POSTGRES_URL === undefined)('a key in a transaction that does not end', () => {
  let place: TestDatabase;
  let clock: TestClock;
  /** The node that claims keys. */
  let store: Store;
  let hanging: Awaited<ReturnType<typeof openDatabase>>;
  /** Ends the transaction of the other node. */
  let gate: PromiseWithResolvers<void> | undefined;
  beforeEach(async () => {
    place = await createDatabase();
    clock = new TestClock();
    store = await openOn(place.url, { clock });
    hanging = await openDatabase(adapterNamed('postgres'), place.url, clock);
  });
  afterEach(async () => {
    gate?.resolve();
    await store?.close();
    await hanging?.[Symbol.asyncDispose]();
    await place?.drop();
  });

  /** Begins a transaction on the other node. Returns the function that ends it. */
  async function begin(work: (queries: Queries) => Promise<unknown>): Promise<() => Promise<void>> {
    const begun = Promise.withResolvers<void>();
    gate = Promise.withResolvers<void>();
    const { promise: ended } = gate;
    const transaction = hanging.sql.apart(async (queries) => {
      await work(queries);
      begun.resolve();
      await ended;
    });
    await Promise.race([begun.promise, transaction]);
    return () => {
      gate?.resolve();
      return transaction;
    };
  }

  /** Claims the key together with others, which must be claimed. Returns the result for the key. */
  async function claimAmongOthers(request: KeyedRequest): Promise<unknown> {
    const claims = [requestOf('before'), request, requestOf('later')].map((one) =>
      store.idempotency.claim(one),
    );
    const [before, claim, later] = await Promise.allSettled(claims);
    for (const other of [before, later]) {
      expect(other).toMatchObject({
        status: 'fulfilled',
        value: { until: clock.now() + CLAIM_MS },
      });
      await store.idempotency.release((other as PromiseFulfilledResult<KeyClaim>).value);
    }
    return claim!.status === 'fulfilled' ? claim!.value : claim!.reason;
  }

  it('gets 409 and delays no other key while its response is being kept', async () => {
    const keys = new IdempotencyStore(hanging.sql, clock);
    const claim = (await keys.claim(requestOf('a'))) as KeyClaim;
    const end = await begin((queries) => keys.keep(claim, response, { queries }));
    for (let i = 0; i < 3; i++) expect(await claimAmongOthers(requestOf('a'))).toMatchObject(busy);
    clock.advance(60);
    // Too late: the response is committed although the key was given up.
    expect(await claimAmongOthers(requestOf('a'))).toMatchObject(busy);
    await end();
    expect(await claimAmongOthers(requestOf('a'))).toEqual(response);
  });

  it('gets 409 and delays no other key while it is being inserted', async () => {
    const { fingerprint, ...id } = requestOf('a');
    const row = { ...id, fingerprint, state: 'pending', claimedUntil: 0, createdAt: 0 } as const;
    const end = await begin((queries) =>
      queries.insertInto('idempotencyKeys').values(row).execute(),
    );
    for (let i = 0; i < 3; i++) expect(await claimAmongOthers(requestOf('a'))).toMatchObject(busy);
    await end();
    expect(await claimAmongOthers(requestOf('a'))).toMatchObject(requestOf('a'));
  });

  it('gets 409 and delays no other key while it is being deleted', async () => {
    const claim = (await store.idempotency.claim(requestOf('a'))) as KeyClaim;
    await store.idempotency.keep(claim, response);
    clock.advance(86_400);
    const keys = new IdempotencyStore(hanging.sql, clock);
    const end = await begin((queries) => queries.deleteFrom('idempotencyKeys').execute());
    for (let i = 0; i < 3; i++) expect(await claimAmongOthers(requestOf('a'))).toMatchObject(busy);
    await end();
    expect(await keys.claim(requestOf('a'))).toMatchObject({ until: clock.now() + CLAIM_MS });
  });
});
