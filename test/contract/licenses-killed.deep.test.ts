import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../src/common/ids.ts';
import { BY, deliveries, importAll } from '../harness/deliveries.ts';
import { tokenOf } from '../harness/feature-server.ts';
import { type Fault, KILLABLE } from '../harness/kill-at.ts';
import { LICENSEE, newQuote, publishCard } from '../harness/licensing.ts';
import { type LicensingServer, startLicensingServer } from '../harness/licensing-server.ts';
import type { LicensingNodeJob } from '../harness/programs/licensing-node.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { someClient, trackId } from '../harness/stores.ts';
import { asClient } from './collections-support.ts';

const PROGRAM = join(import.meta.dirname, '../harness/programs/licensing-node.ts');
/** The client of `tokenOf`. */
const ME = asClient('one', 'test');
/** More than the calls of the database that the sale of a license makes. */
const MAX_FAULTS = 100;
const BOUND_MS = 240_000;

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

async function startNode(job: LicensingNodeJob): Promise<string> {
  const child = spawn(process.execPath, [...KILLABLE, PROGRAM, JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  for await (const line of createInterface({ input: child.stdout! })) {
    return `http://127.0.0.1:${JSON.parse(line).port}`;
  }
  throw new Error('the node has not started');
}

for (const adapter of ADAPTERS) {
  describe(`licenses from a node that is killed on ${adapter.name}`, () => {
    let place: Awaited<ReturnType<typeof adapter.provide>>;
    let other: LicensingServer;
    beforeEach(async () => {
      place = await adapter.provide();
      other = await startLicensingServer(adapter, place.location);
      await importAll(other.store, deliveries(0, 3));
      await publishCard(other.store);
      await other.store.clients.create(someClient({ id: ME.clientId }), BY);
    });
    afterEach(async () => {
      await other.close();
      await place.dispose();
    });

    /** Buys the license of a quote. Returns its number; undefined if there is no response. */
    async function send(base: string, quoteId: string, key?: string): Promise<string | undefined> {
      const headers = {
        Authorization: `Bearer ${tokenOf()}`,
        'Content-Type': 'application/json',
        ...(key !== undefined && { 'Idempotency-Key': key }),
      };
      const body = JSON.stringify({ quoteId, termsVersion: '2026-1', licensee: LICENSEE });
      const options = { method: 'POST', headers, body };
      const sent = await fetch(`${base}/v1/licenses`, options).catch(() => null);
      if (sent === null) return undefined;
      const { data } = (await sent.json()) as { data: { number: string } };
      expect([200, 201]).toContain(sent.status);
      return data.number;
    }

    /** Buys a license at a node with the fault, and again at another node. Returns the numbers. */
    async function sendTwice(fault: Fault, key?: string) {
      const { id } = await newQuote(other.store, ME, Date.now(), { names: [trackId(0)] });
      const node = await startNode({ adapter: adapter.name, location: place.location, fault });
      const first = await send(node, id, key);
      const before = (await other.store.quotes.find(id, ME)).licenseNumber;
      return { first, before, again: await send(other.base, id) };
    }

    async function numbers(): Promise<string[]> {
      const page = { now: Date.now(), offset: 0, limit: 1_000 };
      const { licenses } = await other.store.issuedLicenses.list(ME, page);
      return licenses.map(({ number }) => number.split('-')[2]!).sort();
    }

    it.each([
      ['without', undefined],
      ['with', newId()],
    ])('are the same on a retry after the commit, %s an Idempotency-Key', async (_, key) => {
      const { first, before, again } = await sendTwice('response', key);
      expect(first).toBeUndefined();
      expect(before).not.toBeNull();
      expect(again).toBe(before);
      expect(await numbers()).toEqual(['000001']);
    });

    it(
      'are sold once and numbered without gaps if it is killed after any call of the database',
      async () => {
        let sales = 0;
        let lost = 0;
        for (let isAlive = false; !isAlive; ) {
          expect(++sales).toBeLessThan(MAX_FAULTS);
          const { first, before, again } = await sendTwice(sales);
          isAlive = first !== undefined;
          if (before !== null) expect(again).toBe(before);
          else lost++;
          expect(again).toBeDefined();
        }
        // The sales that were requested again before they were committed.
        expect(lost).toBeGreaterThan(3);
        const expected = Array.from({ length: sales }, (_, i) => String(i + 1).padStart(6, '0'));
        expect(await numbers()).toEqual(expected);
      },
      BOUND_MS,
    );
  });
}
