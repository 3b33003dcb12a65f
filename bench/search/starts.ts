import { setTimeout as delay } from 'node:timers/promises';
import { tokensFor } from '../client.ts';
import { shown, shownSpread, spread } from '../figures.ts';
import { load, memoryMegabytes, serve } from '../processes.ts';
import type { Vocabulary } from '../queries/vocabulary.ts';
import type { Row, Table } from '../row.ts';
import { type BenchData, hasSnapshot, removeSnapshot } from './data-folder.ts';
import { coldMix } from './mixes.ts';
import { jobOf } from './throughput.ts';

const PORT = 18_094;
/** The time limit for the snapshot to exist after a start without one. */
const SNAPSHOT_SECONDS = 60;
const LOAD_SECONDS = 5;

/** The times of the starts with one size of the catalog, and the memory. */
export interface StartFigures {
  tracks: number;
  /** From the start of the process to the first healthy response, without a snapshot. */
  coldSeconds: number;
  /** The peak memory of that start, including the build of the index. */
  coldPeakMegabytes: number;
  /** The same with a snapshot, for each round; undefined if no snapshot was written. */
  warmSeconds: number[] | undefined;
  /** The memory after a start (with a snapshot, if there is one) and some seconds of the cold mix. */
  megabytes: number;
  peakMegabytes: number;
  imported: BenchData['imported'];
}

/** Starts the service without a snapshot, then with one, then sends load to it. */
export async function measureStarts(options: {
  data: BenchData;
  vocabulary: Vocabulary;
  rounds: number;
}): Promise<StartFigures> {
  const { data, vocabulary, rounds } = options;
  removeSnapshot(data);
  const cold = await serve(data.settings, PORT);
  await snapshotAppears(data);
  const coldPeakMegabytes = memoryMegabytes(cold.pid, 'VmHWM');
  await cold.stop();
  const appeared = hasSnapshot(data);

  const warmSeconds: number[] = [];
  for (let round = 0; round < (appeared ? rounds : 0); round++) {
    const server = await serve(data.settings, PORT);
    warmSeconds.push(server.secondsToServe);
    await server.stop();
  }
  const server = await serve(data.settings, PORT);
  try {
    const authorizations = await tokensFor(server.port, data.clients);
    const paths = coldMix(vocabulary, 15_000 * LOAD_SECONDS, 1).paths();
    await load(jobOf({ port: server.port, authorizations }, paths, LOAD_SECONDS, true));
    return {
      tracks: data.tracks,
      coldSeconds: cold.secondsToServe,
      coldPeakMegabytes,
      warmSeconds: appeared ? warmSeconds : undefined,
      megabytes: memoryMegabytes(server.pid, 'VmRSS'),
      peakMegabytes: memoryMegabytes(server.pid, 'VmHWM'),
      imported: data.imported,
    };
  } finally {
    await server.stop();
  }
}

async function snapshotAppears(data: BenchData): Promise<void> {
  const endsAt = performance.now() + SNAPSHOT_SECONDS * 1000;
  while (!hasSnapshot(data) && performance.now() < endsAt) await delay(100);
}

/** The figures of one size, with their goals. */
export function startRows(figures: StartFigures): Row[] {
  const { tracks, coldSeconds, warmSeconds, megabytes, peakMegabytes } = figures;
  const at = tracks.toLocaleString('en');
  const isMillion = tracks === 1_000_000;
  return [
    {
      what: 'memory of the serving process, after some seconds of the cold mix',
      at,
      figure: `${shown(megabytes)} MB, peak ${shown(peakMegabytes)} MB`,
      goal: isMillion ? 'under 800 MB' : tracks === 10_000_000 ? 'under 6 GB' : '',
    },
    {
      what: 'warm start, to the first healthy response',
      at,
      figure: warmSeconds === undefined ? 'no snapshot' : shownSpread(spread(warmSeconds), ' s'),
      goal: isMillion ? 'under 3 s' : '',
    },
    {
      what: 'index build from the store: a start without a snapshot, to the first healthy response',
      at,
      figure: `${shown(coldSeconds)} s`,
      goal: isMillion ? 'under 20 s' : '',
    },
  ];
}

/** The starts and the memory at every size. */
export function startTable(all: readonly StartFigures[]): Table {
  return {
    title: 'Starts and memory of the serving process',
    note: 'Memory is VmRSS after 5 s of the cold mix. The peaks are VmHWM: of a start with a snapshot, and of a cold start, which builds the index.',
    header: [
      'tracks',
      'import',
      'warm start',
      'cold start',
      'memory',
      'peak',
      'peak of the cold start',
    ],
    rows: all.map((figures) => [
      figures.tracks.toLocaleString('en'),
      figures.imported === undefined
        ? ''
        : `${shown(figures.imported.seconds)} s, ${shown(figures.imported.peakMegabytes)} MB`,
      figures.warmSeconds === undefined ? '' : shownSpread(spread(figures.warmSeconds), ' s'),
      `${shown(figures.coldSeconds)} s`,
      `${shown(figures.megabytes)} MB`,
      `${shown(figures.peakMegabytes)} MB`,
      `${shown(figures.coldPeakMegabytes)} MB`,
    ]),
  };
}
