import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tokenOf } from '../harness/feature-server.ts';
import { type NoteServer, startNoteServer } from '../harness/note-server.ts';
import type { NoteNodeJob } from '../harness/programs/note-node.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { testRandom } from '../harness/test-random.ts';

const PROGRAM = join(import.meta.dirname, '../harness/programs/note-node.ts');
/** After this time, a request that was not ended is given up. */
const CLAIM_SECONDS = 61;
const BOUND_MS = 180_000;
/** How often a node is killed at a random time. */
const KILLS = 4;

interface Node {
  base: string;
  child: ChildProcess;
}

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

async function startNode(job: NoteNodeJob): Promise<Node> {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  for await (const line of createInterface({ input: child.stdout! })) {
    return { base: `http://127.0.0.1:${JSON.parse(line).port}`, child };
  }
  throw new Error('the node has not started');
}

/** The part of a response that repeats have in common, and whether it is a repeat. */
interface Sent {
  status: number;
  body: string;
  location: string | null;
  isReplayed: boolean;
}

/** Creates the note of a key. Undefined if there is no response. */
async function post({ base }: { base: string }, key: string): Promise<Sent | undefined> {
  try {
    const response = await fetch(`${base}/v1/notes`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${tokenOf()}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': key,
      },
      body: JSON.stringify({ text: key }),
    });
    return {
      status: response.status,
      body: await response.text(),
      location: response.headers.get('location'),
      isReplayed: response.headers.get('idempotency-replayed') === 'true',
    };
  } catch {
    return undefined;
  }
}

for (const adapter of ADAPTERS) {
  describe(`requests with a key to several nodes on ${adapter.name}`, () => {
    let place: Awaited<ReturnType<typeof adapter.provide>>;
    /** A node whose clock is ahead, so that the claims of nodes that are gone have ended. */
    let later: NoteServer;
    beforeEach(async () => {
      place = await adapter.provide();
      const clock = { now: () => Date.now() + CLAIM_SECONDS * 1_000 };
      later = await startNoteServer(adapter, place.location, clock);
    });
    afterEach(async () => {
      await later.close();
      await place.dispose();
    });

    const start = (job: Omit<NoteNodeJob, 'adapter' | 'location'> = {}) =>
      startNode({ adapter: adapter.name, location: place.location, ...job });

    it('have one effect if 50 arrive at once, and the same response after a restart', async () => {
      const nodes = await Promise.all([start(), start()]);
      const responses = await Promise.all(
        Array.from({ length: 50 }, (_, i) => post(nodes[i % 2]!, 'parallel')),
      );
      expect(await later.notes.texts()).toEqual(['parallel']);
      const statuses = new Set(responses.map((response) => response?.status));
      expect([...statuses].filter((status) => status !== 201 && status !== 409)).toEqual([]);
      const created = responses.filter((response) => response?.status === 201);
      expect(created.filter((response) => !response!.isReplayed)).toHaveLength(1);
      expect(new Set(created.map((response) => response!.body)).size).toBe(1);
      for (const { child } of nodes) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      expect(await post(await start(), 'parallel')).toEqual({ ...created[0], isReplayed: true });
      expect(await later.notes.texts()).toEqual(['parallel']);
    });

    it(
      'have one effect if the node is killed at any point, and another one continues',
      async () => {
        const keys: string[] = [];
        for (let isAlive = false; !isAlive; ) {
          const key = `fault${keys.push(`fault${keys.length + 1}`)}`;
          const node = await start({ fault: keys.length });
          const first = await post(node, key);
          isAlive = first !== undefined;
          const repeated = await post(later, key);
          expect(repeated).toMatchObject({ status: 201, body: expect.stringContaining(key) });
          expect(await post(later, key)).toEqual({ ...repeated, isReplayed: true });
          if (isAlive) expect(repeated).toEqual({ ...first, isReplayed: true });
          node.child.kill('SIGKILL');
        }
        // The claim, the beginning and the end of the transaction, its two statements, and no fault.
        expect(keys.length).toBeGreaterThanOrEqual(6);
        expect(await later.notes.texts()).toEqual(keys.sort());
      },
      BOUND_MS,
    );

    it(
      'have one effect each if the node is killed at random times',
      async () => {
        const random = testRandom('kills of a node with keys');
        const keys = Array.from({ length: 200 }, (_, i) => `random${i}`);
        const open = [...keys];
        const responses = new Map<string, Sent>();
        let node = start();
        const work = async () => {
          for (let key = open.pop(); key !== undefined; key = open.pop()) {
            const response = await post(await node, key);
            if (response?.status === 201) responses.set(key, response);
            else {
              open.push(key);
              await sleep(5);
            }
          }
        };
        const killing = (async () => {
          for (let kill = 1; kill <= KILLS && open.length > 0; kill++) {
            const { child } = await node;
            await sleep(random.between(20, 170));
            child.kill('SIGKILL');
            node = start({ seconds: kill * CLAIM_SECONDS });
          }
          // All keys may have their response before the last node has started.
          await node;
        })();
        await Promise.all([...Array.from({ length: 8 }, work), killing]);
        expect(await later.notes.texts()).toEqual([...keys].sort());
        for (const key of keys) {
          expect(await post(later, key)).toEqual({ ...responses.get(key), isReplayed: true });
        }
      },
      BOUND_MS,
    );
  });
}
