import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deliveries, importAll } from '../harness/deliveries.ts';
import { tokenOf } from '../harness/feature-server.ts';
import { type Fault, KILLABLE } from '../harness/kill-at.ts';
import type { UsageNodeJob } from '../harness/programs/usage-node.ts';
import { openDatabase } from '../harness/sql-databases.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { trackId } from '../harness/stores.ts';
import { startUsageServer, type UsageServer } from '../harness/usage-server.ts';

const PROGRAM = join(import.meta.dirname, '../harness/programs/usage-node.ts');
const EVENTS = 20;
/** More than the calls of the database that a report makes. */
const MAX_FAULTS = 100;
const BOUND_MS = 240_000;

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

async function startNode(job: UsageNodeJob): Promise<{ base: string; child: ChildProcess }> {
  const child = spawn(process.execPath, [...KILLABLE, PROGRAM, JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  for await (const line of createInterface({ input: child.stdout! })) {
    return { base: `http://127.0.0.1:${JSON.parse(line).port}`, child };
  }
  throw new Error('the node has not started');
}

/** Sends a report. Returns its counts; undefined if there is no response. */
async function send(
  { base }: { base: string },
  body: string,
): Promise<{ accepted: number; duplicates: number } | undefined> {
  const headers = { Authorization: `Bearer ${tokenOf()}`, 'Content-Type': 'application/json' };
  const sent = await fetch(`${base}/v1/usage`, { method: 'POST', headers, body }).catch(() => null);
  if (sent === null) return undefined;
  expect(sent.status).toBe(200);
  const { data } = (await sent.json()) as { data: { accepted: number; duplicates: number } };
  return { accepted: data.accepted, duplicates: data.duplicates };
}

const ACCEPTED = { accepted: EVENTS, duplicates: 0 };
const DUPLICATES = { accepted: 0, duplicates: EVENTS };

for (const adapter of ADAPTERS) {
  describe(`reports of usage to a node that is killed on ${adapter.name}`, () => {
    let place: Awaited<ReturnType<typeof adapter.provide>>;
    let other: UsageServer;
    beforeEach(async () => {
      place = await adapter.provide();
      other = await startUsageServer(adapter, place.location);
      await importAll(other.store, deliveries(0, 3));
    });
    afterEach(async () => {
      await other.close();
      await place.dispose();
    });

    function batch(name: string): string {
      const occurredAt = new Date().toISOString();
      const events = Array.from({ length: EVENTS }, (_, n) => ({
        eventId: `${name}-${n}`,
        type: 'stream',
        trackId: trackId(n % 3),
        occurredAt,
        seconds: 1,
      }));
      return JSON.stringify({ events });
    }

    /** Sends a batch to a node with the fault, and again to another node. Returns the counts of both. */
    async function sendTwice(fault: Fault) {
      const node = await startNode({ adapter: adapter.name, location: place.location, fault });
      const body = batch(`fault-${fault}`);
      const first = await send(node, body);
      const again = await send(other, body);
      expect(await send(other, body)).toEqual(DUPLICATES);
      node.child.kill('SIGKILL');
      return { first, again };
    }

    async function counts(): Promise<{ events: number; summed: number }> {
      await using database = await openDatabase(adapter, place.location, { now: Date.now });
      const { queries } = database.sql;
      const stored = await queries
        .selectFrom('usageEvents')
        .select(({ fn }) => fn.countAll<number>().as('events'))
        .executeTakeFirstOrThrow();
      const days = await queries
        .selectFrom('usageDays')
        .select('events')
        .where('trackRowId', '>', 0)
        .execute();
      return { ...stored, summed: days.reduce((sum, { events }) => sum + events, 0) };
    }

    it('count once if it is killed between the commit and the response', async () => {
      expect(await sendTwice('response')).toEqual({ first: undefined, again: DUPLICATES });
      expect(await counts()).toEqual({ events: EVENTS, summed: EVENTS });
    });

    it(
      'count once if it is killed after any call of the database',
      async () => {
        let batches = 0;
        let lost = 0;
        for (let isAlive = false; !isAlive; ) {
          expect(++batches).toBeLessThan(MAX_FAULTS);
          const { first, again } = await sendTwice(batches);
          isAlive = first !== undefined;
          if (isAlive) expect([first, again]).toEqual([ACCEPTED, DUPLICATES]);
          // A transaction is committed as a whole or not at all.
          else expect([ACCEPTED, DUPLICATES]).toContainEqual(again);
          if (again!.accepted > 0) lost++;
        }
        // The batches that were sent again before they were committed.
        expect(lost).toBeGreaterThan(3);
        expect(await counts()).toEqual({ events: batches * EVENTS, summed: batches * EVENTS });
      },
      BOUND_MS,
    );
  });
}
