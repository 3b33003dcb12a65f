import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { StaveError } from '../../src/common/errors.ts';
import type { KeyClaim, KeyedRequest } from '../../src/engines/idempotency/idempotency.ts';
import type { Store } from '../../src/features/store.ts';
import { TestClock } from '../harness/clock.ts';
import { canStartPostgres } from '../harness/postgres-programs.ts';
import { type PostgresServer, startPostgres } from '../harness/postgres-server.ts';
import { openOn, refusal } from '../harness/postgres-store.ts';
import { createDatabase } from '../harness/services.ts';
import { openLink, type TcpLink } from '../harness/tcp-link.ts';
import { until } from '../harness/until.ts';

const REQUEST: KeyedRequest = {
  clientId: 'one',
  mode: 'live',
  key: 'a',
  fingerprint: Buffer.alloc(32),
};
const RESPONSE = { status: 200, headers: {}, body: Buffer.from('{}') };
const BUSY = { kind: 'conflict' };

/** The whole text of a statement, which ends with a zero on the wire. */
const COMMIT = 'COMMIT\0';
/** A part of the statement that claims keys, which commits by itself. */
const CLAIM = 'insert into "idempotency_keys"';
/** A part of the statement that takes a key over. */
const TAKE_OVER = 'update "idempotency_keys"';

/** A part of the statement that gives a key back. */
const RELEASE = 'delete from "idempotency_keys"';

/** The type JSON, which the driver cannot read in the column of a boolean. */
const JSON_TYPE = 114;

/** Damages the description of the rows that a claim returns. */
function damage(answer: Buffer): void {
  const name = Buffer.from('isWritten\0');
  // After the name come the table (4 bytes) and the number of the column (2 bytes).
  answer.writeInt32BE(JSON_TYPE, answer.indexOf(name) + name.length + 6);
}

describe.skipIf(!canStartPostgres)('an idempotency key during an outage of PostgreSQL', () => {
  /** It stands still, so that no claim expires. */
  const clock = new TestClock();
  let server: PostgresServer;
  let link: TcpLink;
  /** The store whose connections fail. */
  let store: Store;
  let other: Store;
  let client: pg.Client;

  beforeAll(async () => {
    server = await startPostgres();
    link = await openLink(server.port);
  });
  beforeEach(async () => {
    const { url } = await createDatabase(server.url);
    const through = new URL(url);
    through.port = String(link.port);
    [store, other] = [await openOn(through.href, { clock }), await openOn(url, { clock })];
    client = new pg.Client({ connectionString: url });
    await client.connect();
  });
  afterEach(async () => {
    await store?.close();
    await other?.close();
    await client?.end();
  });
  afterAll(async () => {
    await link?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  /** Resolves when another node can claim the key. */
  async function free(): Promise<void> {
    await until(async () => {
      try {
        return 'until' in (await other.idempotency.claim(REQUEST));
      } catch (error) {
        if (error instanceof StaveError && error.kind === 'conflict') return false;
        throw error;
      }
    }, 'a free key');
  }

  it('is free afterwards if its request has failed', async () => {
    const claim = (await store.idempotency.claim(REQUEST)) as KeyClaim;
    link.cut();
    await refusal(() => store.settings.set('effect', '1'));
    await store.idempotency.release(claim);
    await expect(other.idempotency.claim(REQUEST)).rejects.toMatchObject(BUSY);
    link.mend();
    await free();
  });

  it('is free afterwards if the answer to its claim was lost', async () => {
    const lost = link.resetAt(CLAIM, 'after');
    await expect(store.idempotency.claim(REQUEST)).rejects.toMatchObject({ kind: 'unavailable' });
    await lost;
    await free();
  });

  it('is free soon if its claim comes later than the attempt to give it back', async () => {
    const held = link.holdAt(CLAIM);
    await expect(store.idempotency.claim(REQUEST)).rejects.toMatchObject({ kind: 'unavailable' });
    const deliver = await held;
    await new Promise<void>((resolve) => link.alterAnswer(RELEASE, () => resolve()));
    deliver();
    const keys = async () => (await client.query('SELECT FROM idempotency_keys')).rowCount;
    await until(async () => (await keys()) === 1, 'the late claim');
    await until(async () => (await keys()) === 0, 'a free key');
  });

  it('is free after its time if the answers to its claims were damaged', async () => {
    const unavailable = { kind: 'unavailable' };
    link.alterAnswer(CLAIM, damage);
    await expect(store.idempotency.claim(REQUEST)).rejects.toMatchObject(unavailable);
    // The database has executed it.
    await expect(other.idempotency.claim(REQUEST)).rejects.toMatchObject(BUSY);
    clock.advance(60);
    link.alterAnswer(TAKE_OVER, damage);
    await expect(store.idempotency.claim(REQUEST)).rejects.toMatchObject(unavailable);
    await expect(other.idempotency.claim(REQUEST)).rejects.toMatchObject(BUSY);
    clock.advance(60);
    const claim = (await store.idempotency.claim(REQUEST)) as KeyClaim;
    await store.idempotency.keep(claim, RESPONSE);
    expect(await other.idempotency.claim(REQUEST)).toEqual(RESPONSE);
  });

  it('stays with its response if only the answer to the commit was lost', async () => {
    const claim = (await store.idempotency.claim(REQUEST)) as KeyClaim;
    const lost = link.resetAt(COMMIT, 'after');
    await expect(store.idempotency.keep(claim, RESPONSE)).rejects.toMatchObject({
      kind: 'unavailable',
    });
    await lost;
    await store.idempotency.release(claim);
    expect(await other.idempotency.claim(REQUEST)).toEqual(RESPONSE);
  });
});
