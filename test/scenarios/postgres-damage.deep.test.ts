import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { StaveError } from '../../src/common/errors.ts';
import { asStaveError } from '../../src/engines/http/response/errors.ts';
import type { Store } from '../../src/features/store.ts';
import { BY, deliveries, importAll } from '../harness/deliveries.ts';
import { databaseOn, openOn, recordingLog } from '../harness/postgres-store.ts';
import { createDatabase, POSTGRES_URL, type TestDatabase } from '../harness/services.ts';
import { someClient, trackId } from '../harness/stores.ts';
import { openLink, type TcpLink } from '../harness/tcp-link.ts';
import { until } from '../harness/until.ts';

/** How often all calls are made; together about a thousand statements. */
const ROUNDS = 60;

describe.skipIf(POSTGRES_URL === undefined)(
  'while bytes on the link to PostgreSQL are flipped',
  () => {
    let place: TestDatabase;
    let link: TcpLink;
    let url: string;
    let store: Store;
    beforeAll(async () => {
      place = await createDatabase();
      link = await openLink(Number(new URL(POSTGRES_URL!).port || 5432));
      const linked = new URL(place.url);
      linked.port = String(link.port);
      url = linked.href;
    });
    afterEach(async () => {
      link.damage(0);
      link.mend();
      await store?.close();
    });
    afterAll(async () => {
      await link?.[Symbol.asyncDispose]();
      await place?.drop();
    });

    it('calls succeed, fail as unavailable or are refused, and the process continues', async () => {
      store = await openOn(url, { log: recordingLog() });
      await importAll(store, deliveries(0, 20));
      const calls = [
        () => store.changes.head(),
        () => store.changes.since(0, ['track'], 100),
        () => store.clients.all(),
        () => store.catalog.trackAudio(trackId(1)),
        () => store.catalog.indexEntries([trackId(1), trackId(2)]),
        () => store.clients.create(someClient(), BY),
      ];
      link.damage(2_000);
      const strange: unknown[] = [];
      let refused = 0;
      for (let round = 0; round < ROUNDS; round++) {
        for (const outcome of await Promise.allSettled(calls.map((call) => call()))) {
          if (outcome.status === 'fulfilled') continue;
          const { reason } = outcome;
          // A flipped byte may result in another valid value: not found, or a conflict.
          if (reason instanceof StaveError && reason.status < 500) continue;
          // The server does not understand a statement, or refuses what does not fit what was stored damaged.
          if (reason instanceof pg.DatabaseError) continue;
          // The server refuses a login if a byte in the name of the user or the database is flipped.
          if (asStaveError(reason).kind === 'unavailable') refused++;
          else strange.push(reason);
        }
      }
      expect(strange).toEqual([]);
      expect(refused).toBeGreaterThan(0);
      link.damage(0);
      link.mend();
      // A client may have been stored damaged, and can then not be read.
      await until(() =>
        store.changes.head().then(
          () => true,
          () => false,
        ),
      );
    }, 120_000);

    it('a value that cannot be decoded is reported as unavailable', async () => {
      store = await openOn(url, { log: recordingLog() });
      const client = someClient();
      await store.clients.create(client, BY);
      const database = databaseOn(place.url, recordingLog());
      try {
        await database.write((tx) =>
          tx.rows(`UPDATE clients SET scopes = '["a]' WHERE id = $1`, [client.id]),
        );
        await expect(store.clients.all()).rejects.toMatchObject({ kind: 'unavailable' });
      } finally {
        await database.close();
      }
    });

    it('a programming error is still reported as one', async () => {
      const database = databaseOn(place.url, recordingLog());
      try {
        await expect(database.rows('SELEKT 1')).rejects.toMatchObject({ code: '42601' });
        await expect(database.write((tx) => tx.rows('SELECT nothing'))).rejects.toMatchObject({
          code: '42703',
        });
      } finally {
        await database.close();
      }
    });
  },
);
