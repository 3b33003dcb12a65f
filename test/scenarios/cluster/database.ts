import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Node } from './node.ts';

const CATCH_UP_MS = 120_000;

/** Returns the stored version of each live track, by track id. */
export async function storedVersions(url: string): Promise<Map<string, number>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(`SELECT id, bpm FROM tracks WHERE state = 'live'`);
  await client.end();
  return new Map(rows.map(({ id, bpm }) => [id, Number(bpm)]));
}

/** Returns how many tracks differ between the nodes and the database, after the time to catch up. */
export async function differingTracks(
  url: string,
  nodes: readonly Node[],
  token: string,
): Promise<number> {
  const deadline = performance.now() + CATCH_UP_MS;
  let differing = await differingNow(await storedVersions(url), nodes, token);
  while (differing > 0 && performance.now() < deadline) {
    await sleep(500);
    differing = await differingNow(await storedVersions(url), nodes, token);
  }
  return differing;
}

/** Walks all pages of every node and compares each track with what is stored. */
async function differingNow(
  stored: ReadonlyMap<string, number>,
  nodes: readonly Node[],
  token: string,
): Promise<number> {
  const differences = await Promise.all(
    nodes.map(async (node) => {
      const shown = new Map<string, number>();
      for (let page = 1; ; page++) {
        const { items } = await node.data(`/v1/tracks?pageSize=100&page=${page}`, token);
        for (const { id, bpm } of items) shown.set(id, Number(bpm));
        if (items.length === 0) break;
      }
      const ids = new Set([...stored.keys(), ...shown.keys()]);
      return [...ids].filter((id) => stored.get(id) !== shown.get(id)).length;
    }),
  );
  return differences.reduce((sum, count) => sum + count, 0);
}
