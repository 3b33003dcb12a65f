import { join } from 'node:path';
import type { EngineResult } from '../../engine/engine-process.ts';
import { type Quantiles, shown, spread } from '../../figures.ts';
import { runProgram } from '../../processes.ts';
import type { Table } from '../../row.ts';
import type { BenchData } from '../../search/data-folder.ts';
import type { Fts5Job, Fts5Result } from './fts5-process.ts';

/** Loads a catalog into SQLite with FTS5 and times the kinds of the mix, in a process of its own. */
export function measureFts5(options: {
  data: BenchData;
  folder: string;
  dataFolder: string;
}): Promise<Fts5Result> {
  const job: Fts5Job = {
    catalog: options.data.database,
    file: join(options.folder, `fts5-${options.data.tracks}.db`),
    size: options.data.tracks,
    dataFolder: options.dataFolder,
    seconds: 4,
  };
  return runProgram(new URL('fts5-process.ts', import.meta.url), job);
}

/** Compares the peer with the engine, if that was timed at the same size. Both run without HTTP. */
export function fts5Table(tracks: number, peer: Fts5Result, engine?: EngineResult): Table {
  const rows = Object.entries(peer.times).map(([kind, theirs]) => {
    const ours = engine?.times[kind as keyof Fts5Result['times']];
    const median = (figure: keyof Quantiles) =>
      ours === undefined ? Number.NaN : spread(ours.map((round) => round[figure])).median;
    return [
      kind,
      shown(theirs.p50 / median('p50')),
      shown(theirs.p99 / median('p99')),
      `${shown(median('p50'))} / ${shown(median('p99'))}`,
      `${shown(theirs.p50)} / ${shown(theirs.p99)}`,
    ];
  });
  return {
    title: 'SQLite FTS5 compared with the engine',
    note:
      `${tracks.toLocaleString('en')} tracks, one query after the other in one process, no query repeated; ` +
      `milliseconds, p50 / p99. SQLite executes ${shown(peer.queriesPerSecond)} queries of the mix per second. ` +
      `It was loaded and indexed in ${shown(peer.secondsToLoad)} s and takes ${shown(peer.sizeMegabytes)} MB. Unlike ` +
      'the engine, it reads the documents, tolerates no typos and does not rank.',
    header: ['kind', 'times the engine: p50', 'p99', 'engine', 'FTS5'],
    rows,
  };
}
