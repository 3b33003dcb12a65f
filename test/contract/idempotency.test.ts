import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  type KeptResponse,
  type KeyClaim,
  type KeyedRequest,
  MAX_KEPT_BYTES,
} from '../../src/engines/idempotency/idempotency.ts';
import type { Queries } from '../../src/engines/sql/database.ts';
import type { Store } from '../../src/features/store.ts';
import { openDatabase } from '../harness/sql-databases.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf } from '../harness/stores.ts';

const response: KeptResponse = {
  status: 201,
  headers: { Location: '/v1/notes/1', ETag: '"1"' },
  body: Buffer.from('{"data":{"text":"ä"},"error":{"code":0,"message":"OK"}}'),
};

function requestOf(change: Partial<KeyedRequest> & { payload?: string } = {}): KeyedRequest {
  const { payload = '', ...rest } = change;
  const fingerprint = createHash('sha256').update(payload).digest();
  return { clientId: 'one', mode: 'live', key: 'a', fingerprint, ...rest };
}

/** Claims a key that nobody has. */
async function claimed(store: Store, request = requestOf()): Promise<KeyClaim> {
  const claim = await store.idempotency.claim(request);
  expect(claim).toMatchObject({ key: request.key });
  return claim as KeyClaim;
}

const busy = { kind: 'conflict', headers: { 'Retry-After': '1' } };

for (const adapter of ADAPTERS) {
  describe(`idempotency keys on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('have the response to their request, also in another process', async () => {
      const { store, another } = await open();
      await store.idempotency.keep(await claimed(store), response);
      expect(await store.idempotency.claim(requestOf())).toEqual(response);
      expect(await (await another()).idempotency.claim(requestOf())).toEqual(response);
    });

    it.each([
      ['can be compressed', Buffer.from(`{${'a'.repeat(MAX_KEPT_BYTES - 1)}`)],
      ['cannot', Buffer.concat([Buffer.from('{'), randomBytes(100_000)])],
    ])('return a long response byte by byte that %s', async (_, body) => {
      const { store } = await open();
      await store.idempotency.keep(await claimed(store), { ...response, body });
      const kept = (await store.idempotency.claim(requestOf())) as KeptResponse;
      expect(kept.body.equals(body)).toBe(true);
    });

    it('do not keep a response that is too long', async () => {
      const { store } = await open();
      const claim = await claimed(store);
      const body = Buffer.alloc(MAX_KEPT_BYTES + 1, '{');
      const keeping = async () => store.idempotency.keep(claim, { ...response, body });
      await expect(keeping()).rejects.toMatchObject({ kind: 'conflict' });
      await expect(store.idempotency.claim(requestOf())).rejects.toMatchObject(busy);
    });

    it('belong to one request, before and after its end', async () => {
      const { store } = await open();
      const claim = await claimed(store);
      const other = requestOf({ payload: 'other' });
      const mismatch = { kind: 'idempotency_mismatch' };
      await expect(store.idempotency.claim(requestOf())).rejects.toMatchObject(busy);
      await expect(store.idempotency.claim(other)).rejects.toMatchObject(mismatch);
      await store.idempotency.keep(claim, response);
      await expect(store.idempotency.claim(other)).rejects.toMatchObject(mismatch);
    });

    it('belong to one client and one mode', async () => {
      const { store } = await open();
      await store.idempotency.keep(await claimed(store), response);
      await claimed(store, requestOf({ clientId: 'two', payload: 'other' }));
      await claimed(store, requestOf({ mode: 'test', payload: 'other' }));
      await claimed(store, requestOf({ key: 'A', payload: 'other' }));
    });

    it('are free for any request after a failure', async () => {
      const { store } = await open();
      await store.idempotency.release(await claimed(store));
      const claim = await claimed(store, requestOf({ payload: 'other' }));
      await store.idempotency.keep(claim, response);
      await store.idempotency.release(claim);
      await expect(store.idempotency.claim(requestOf())).rejects.toMatchObject({
        kind: 'idempotency_mismatch',
      });
    });

    it('are taken over after 60 seconds, and a late change is undone', async () => {
      const { store, clock, location } = await open();
      await using database = await openDatabase(adapter, location, clock);
      const late = await claimed(store);
      clock.advance(59.999);
      await expect(store.idempotency.claim(requestOf())).rejects.toMatchObject(busy);
      clock.advance(0.001);
      const claim = await claimed(store);
      const change = (by: KeyClaim, name: string) =>
        database.sql.apart(
          async (queries: Queries) => {
            await queries.insertInto('settings').values({ name, value: '1' }).execute();
          },
          {
            actor: 'client:one',
            clientId: 'one',
            mode: 'live',
            finish: (_, transaction) => store.idempotency.keep(by, response, transaction),
          },
        );
      await expect(change(late, 'late')).rejects.toMatchObject(busy);
      await store.idempotency.release(late);
      await change(claim, 'effect');
      await expect(change(late, 'late')).rejects.toMatchObject(busy);
      expect(await store.settings.get('late')).toBeUndefined();
      expect(await store.settings.get('effect')).toBe('1');
      expect(await store.idempotency.claim(requestOf())).toEqual(response);
    });

    it('are valid for 24 hours, whether they were deleted or not', async () => {
      const { store, clock } = await open();
      await store.idempotency.keep(await claimed(store), response);
      clock.advance(86_399.999);
      expect(await store.idempotency.claim(requestOf())).toEqual(response);
      clock.advance(0.001);
      const claim = await claimed(store, requestOf({ payload: 'other' }));
      await store.idempotency.keep(claim, { ...response, status: 200 });
      const repeated = await store.idempotency.claim(requestOf({ payload: 'other' }));
      expect(repeated).toMatchObject({ status: 200 });
    });

    it('are deleted after 24 hours, in slices', async () => {
      const { store, clock, location } = await open();
      await using database = await openDatabase(adapter, location, clock);
      const at = clock.now();
      // A row in three is one millisecond younger.
      const numbers = Array.from({ length: 6_600 }, (_, i) => i);
      const fingerprint = `${adapter.isServer ? "'\\x" : "x'"}${'00'.repeat(32)}'`;
      await database.run(
        `INSERT INTO idempotency_keys (client_id, mode, key, fingerprint, state, claimed_until, created_at) VALUES ${numbers
          .map(
            (n) => `('one', 'live', 'k${n}', ${fingerprint}, 'pending', 0, ${at + (n % 3 && 1)})`,
          )
          .join()}`,
      );
      clock.advance(86_400);
      expect(await store.idempotency.expire()).toBe(2_200);
      expect(await store.idempotency.expire()).toBe(0);
      clock.advance(0.001);
      const first = await store.idempotency.expire(AbortSignal.abort());
      expect(first).toBeLessThanOrEqual(2_000);
      expect(first + (await store.idempotency.expire())).toBe(4_400);
    });
  });
}
