import { setTimeout as delay } from 'node:timers/promises';
import { tokenFor } from '../client.ts';
import { shown, shownSpread, spread } from '../figures.ts';
import { load, memoryMegabytes, serve } from '../processes.ts';
import type { Vocabulary } from '../queries/vocabulary.ts';
import type { Row, Table } from '../row.ts';
import { type BenchData, hasSnapshot, removeSnapshot } from './data-folder.ts';
import { coldMix } from './mixes.ts';
import { jobOf } from './throughput.ts';

const PORT = 18_094;
/** How long a snapshot may take to appear after a start that had none. */
const SNAPSHOT_SECONDS = 60;
const LOAD_SECONDS = 5;

/** How one size of the catalog starts, and what it then takes. */
export interface StartFigures {
  tracks: number;
  /** From the start of the process to the first healthy answer, without a snapshot. */
  coldSeconds: number;
  /** Its most memory, the building of the index included. */
  coldPeakMegabytes: number;
  /** The same with a snapshot, one a round; undefined where none was written. */
  warmSeconds: number[] | undefined;
  /** After a start with a snapshot, where there is one, and some seconds of the cold mix. */
  megabytes: number;
  peakMegabytes: number;
  imported: BenchData['imported'];
}

/** Starts the service over a catalog without a snapshot, then with one, then loads it. */
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
    const authorization = await tokenFor(server.port, data.client);
    const paths = coldMix(vocabulary, 15_000 * LOAD_SECONDS, 1).paths();
    await load(jobOf({ port: server.port, authorization }, paths, LOAD_SECONDS, true));
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

/** What the issue asks at this size. */
export function startRows(figures: StartFigures): Row[] {
  const { tracks, coldSeconds, warmSeconds, megabytes, peakMegabytes } = figures;
  const at = tracks.toLocaleString('en');
  const isMillion = tracks === 1_000_000;
  return [
    {
      what: 'memory of the serving process, after some seconds of the cold mix',
      at,
      figure: `${shown(megabytes)} MB, ${shown(peakMegabytes)} MB at the most`,
      goal: isMillion ? 'under 800 MB' : tracks === 10_000_000 ? 'under 6 GB' : '',
    },
    {
      what: 'warm start to the first healthy answer',
      at,
      figure: warmSeconds === undefined ? 'no snapshot' : shownSpread(spread(warmSeconds), ' s'),
      goal: isMillion ? 'under 3 s' : '',
    },
    {
      what: 'index build from the store: a start without a snapshot, to the first healthy answer',
      at,
      figure: `${shown(coldSeconds)} s`,
      goal: isMillion ? 'under 20 s' : '',
    },
  ];
}

/** Starts and memory at every size. */
export function startTable(all: readonly StartFigures[]): Table {
  return {
    title: 'Starts and memory of the serving process',
    note: 'Memory is VmRSS after 5 s of the cold mix, and VmHWM: of a start with a snapshot, and of one that had to build the index.',
    header: ['tracks', 'import', 'warm start', 'cold start', 'memory', 'at the most', 'cold: most'],
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
