import { join } from 'node:path';
import { tokenOf } from '../test/harness/feature-server.ts';
import type { NoteNodeJob } from '../test/harness/programs/note-node.ts';
import { createDatabase } from '../test/harness/services.ts';
import { shownSpread, spread } from './figures.ts';
import { load, serveProgram } from './processes.ts';
import type { Row } from './row.ts';

const NODE = new URL('../test/harness/programs/note-node.ts', import.meta.url);
const CONNECTIONS = 16;
const SECONDS = 3;

/**
 * Compares small writes with an `Idempotency-Key` of their own with the same writes without one, on both databases.
 * The result is the ratio of each round.
 */
export async function measureIdempotency(options: {
  folder: string;
  rounds: number;
}): Promise<Row[]> {
  const { folder, rounds } = options;
  await using database = await createDatabase();
  return [
    await measureOn(
      'SQLite',
      {
        adapter: 'sqlite',
        location: join(folder, 'idempotency', 'stave.db'),
      },
      rounds,
    ),
    await measureOn('PostgreSQL', { adapter: 'postgres', location: database.url }, rounds),
  ];
}

async function measureOn(name: string, store: NoteNodeJob, rounds: number): Promise<Row> {
  const node = await serveProgram<{ port: number }>(NODE, store);
  const write = (keyPrefix?: string) =>
    load({
      port: node.port,
      paths: ['/v1/notes'],
      bodies: [JSON.stringify({ text: 'a note' })],
      headers: { Authorization: `Bearer ${tokenOf()}` },
      ...(keyPrefix !== undefined && { keyPrefix }),
      connections: CONNECTIONS,
      seconds: SECONDS,
    });
  await write('warm');
  const figures = { plain: [] as number[], keyed: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    const [plain, keyed] = [await write(), await write(`round${round}-`)];
    if (plain.failures + keyed.failures > 0) throw new Error(`${name}: writes failed`);
    figures.plain.push(plain.requestsPerSecond);
    figures.keyed.push(keyed.requestsPerSecond);
  }
  await node.stop();
  const perSecond = (each: number[]) => Math.round(spread(each).median).toLocaleString('en');
  const ratio = spread(figures.keyed.map((keyed, i) => keyed / figures.plain[i]!));
  return {
    what: `small writes with a key, ${name}: throughput compared with the same writes without a key`,
    figure: `${shownSpread(ratio)}: ${perSecond(figures.keyed)} and ${perSecond(figures.plain)} writes/s`,
    goal: 'at least 0.9',
  };
}
