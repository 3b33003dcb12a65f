import { type EngineFigures, engineRows, engineTables, measureEngine } from '../engine/engine.ts';
import { fts5Table, measureFts5 } from '../peers/sqlite/fts5.ts';
import { Vocabulary } from '../queries/vocabulary.ts';
import { readRealParts } from '../real-parts.ts';
import { type Row, type Table, tableOf } from '../row.ts';
import { changeRows, measureChanges } from './changes.ts';
import { type BenchData, benchData } from './data-folder.ts';
import { serverRows, serverTables } from './server-report.ts';
import { measureServers } from './servers.ts';
import { measureSimilar, similarRows, similarTable } from './similar.ts';
import { measureStarts, startRows, startTable } from './starts.ts';

/** The parts that can be selected. */
export const SEARCH_PARTS = ['engine', 'similar', 'starts', 'servers', 'changes', 'peers'] as const;
/** A part. `peers` adds PostgreSQL to the servers, and SQLite. */
export type SearchPart = (typeof SEARCH_PARTS)[number];

/** The size at which servers are measured. If it is not among the sizes, the next smaller one is used. */
const SERVER_SIZE = 1_000_000;

/**
 * Measures the search as bench/README.md describes. Returns the table of the goals, then the detailed tables.
 * Calls `onTable` with each table as soon as it is ready, and with the first one last.
 */
export async function measureSearch(options: {
  sizes: readonly number[];
  parts: ReadonlySet<SearchPart>;
  rounds: number;
  /** The folder of the real catalogs, of whose parts the synthetic ones consist. */
  dataFolder: string;
  /** The folder for temporary files, which the end of the run removes. */
  folder: string;
  /** The folder in which imported catalogs are kept; may be `folder`. */
  keep: string;
  onProgress(what: string): void;
  onTable(table: Table): void;
}): Promise<Table[]> {
  const { parts, rounds, dataFolder, folder, onProgress } = options;
  const sizes = [...options.sizes].sort((a, b) => a - b);
  const serverSize = sizes.filter((size) => size <= SERVER_SIZE).at(-1) ?? sizes[0]!;
  const goals: Row[] = [];
  const tables: Table[] = [];
  const add = (...ready: readonly Table[]) => {
    ready.forEach(options.onTable);
    tables.push(...ready);
  };
  const realParts = await readRealParts(dataFolder);
  const opened = new Map<number, BenchData>();
  const open = async (tracks: number) => {
    const data =
      opened.get(tracks) ?? (await benchData({ folder: options.keep, dataFolder, tracks }));
    opened.set(tracks, data);
    return { data, vocabulary: new Vocabulary(realParts, tracks) };
  };

  let engine: EngineFigures | undefined;
  if (parts.has('engine')) {
    onProgress(`the engine at ${sizes.join(', ')}`);
    engine = await measureEngine({ sizes, dataFolder, rounds });
    goals.push(...engineRows(engine, serverSize));
    add(...engineTables(engine));
  }
  if (parts.has('similar')) {
    onProgress(`similar tracks at ${sizes.join(', ')}`);
    const figures = await measureSimilar({
      ...{ sizes, serverSize, dataFolder, rounds },
      data: (await open(serverSize)).data,
    });
    goals.push(...similarRows(figures, serverSize));
    add(similarTable(figures));
  }
  if (parts.has('servers')) {
    onProgress(`the servers at ${serverSize}`);
    const peers = parts.has('peers');
    const figures = await measureServers({ ...(await open(serverSize)), folder, rounds, peers });
    // The report begins with the throughput.
    goals.unshift(...serverRows(figures, serverSize));
    add(...serverTables(figures));
  }
  if (parts.has('peers')) {
    onProgress(`SQLite FTS5 at ${serverSize}`);
    const { data } = await open(serverSize);
    const peer = await measureFts5({ data, folder, dataFolder });
    add(fts5Table(serverSize, peer, engine?.get(serverSize)));
  }
  if (parts.has('starts')) {
    const all = [];
    for (const size of sizes) {
      onProgress(`starts at ${size}`);
      all.push(await measureStarts({ ...(await open(size)), rounds }));
    }
    goals.push(...all.filter(({ tracks }) => tracks >= serverSize).flatMap(startRows));
    add(startTable(all));
  }
  if (parts.has('changes')) {
    onProgress(`changes at ${serverSize}`);
    const figures = await measureChanges({ ...(await open(serverSize)), parts: realParts });
    goals.push(...changeRows(figures));
  }
  const summary = tableOf('The figures and their goals', goals);
  options.onTable(summary);
  return [summary, ...tables];
}
