import { Agent, get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../src/common/clock.ts';
import { openSqliteStore } from '../../src/storage/sqlite/open.ts';
import type { Store } from '../../src/storage/store.ts';
import { type UniquelyNamed, uniquelyNamed } from '../catalog.ts';
import { tokenFor } from '../client.ts';
import { shown, shownSpread, spread } from '../figures.ts';
import type { LoadResult } from '../load.ts';
import { load, serve } from '../processes.ts';
import type { Vocabulary } from '../queries/vocabulary.ts';
import type { RealParts } from '../real-parts.ts';
import type { Row } from '../row.ts';
import type { BenchData } from './data-folder.ts';
import { coldMix } from './mixes.ts';
import { jobOf } from './throughput.ts';

const PORT = 18_095;
const SECONDS = 15;
/** Until what earlier runs left in the log is taken in, and the code is compiled. */
const WARM_UP_SECONDS = 10;
/** How many different reads there are in that time. */
const READS = 60_000;
/** Keep-alive connections of the readers that are not there to saturate the service. */
const FEW_CONNECTIONS = 8;
/** Tracks whose coming and going is watched, each by a word of its own. */
const WATCHED = 40;
/** Tracks that change as fast as they can beside the watched ones. */
const STREAMED = 2_000;
/** A change that takes longer counts as lost. */
const MAX_WAIT_MS = 30_000;

/** How soon changes show, and what reads meanwhile feel. */
export interface ChangeFigures {
  tracks: number;
  /** Milliseconds from the commit to the first answer that shows it, one a change. */
  alone: number[];
  amongFew: number[];
  besideStream: number[];
  /** Changes a second in that stream. */
  streamPerSecond: number;
  /** The reads: without changes, beside single ones, the same on few connections, beside the stream. */
  reads: { before: LoadResult; alone: LoadResult; amongFew: LoadResult; besideStream: LoadResult };
}

/**
 * Takes tracks down and restores them by writing to the store, as another process does, while the
 * service answers the cold mix on 32 connections; first one change at a time, then the same on eight
 * connections, then beside a stream.
 */
export async function measureChanges(options: {
  data: BenchData;
  vocabulary: Vocabulary;
  parts: RealParts;
}): Promise<ChangeFigures> {
  const { data, vocabulary, parts } = options;
  const marked = uniquelyNamed(data.tracks, WATCHED + STREAMED, parts);
  const watched = marked.slice(0, WATCHED);
  const streamed = marked.slice(WATCHED);
  const mix = coldMix(vocabulary, READS, 5);
  const store = await openSqliteStore({ path: data.database, clock: systemClock });
  // A run that was ended may have left some of them down.
  for (const { id } of marked) await store.catalog.setState(id, 'live', 'bench');
  const server = await serve(data.settings, PORT);
  try {
    const authorization = await tokenFor(server.port, data.client);
    const question = { port: server.port, authorization };
    const job = (seconds = SECONDS) => jobOf(question, mix.paths(), seconds, false);
    const few = () => ({ ...job(), connections: FEW_CONNECTIONS });
    const reads = (asked = job()) => load(asked, { mayFail: true });
    await reads(job(WARM_UP_SECONDS));
    const before = await reads();
    const watching = (ended: () => boolean) => watch(store, question, watched, ended);
    const alone = await beside(reads(), watching);
    const amongFew = await beside(reads(few()), watching);
    const besideStream = await beside(reads(), async (ended) => {
      const both = [
        watch(store, question, watched, ended),
        stream(store, streamed, ended),
      ] as const;
      await Promise.allSettled(both);
      return { waits: await both[0], changes: await both[1] };
    });
    return {
      tracks: data.tracks,
      alone: alone.found,
      amongFew: amongFew.found,
      besideStream: besideStream.found.waits,
      streamPerSecond: besideStream.found.changes / SECONDS,
      reads: {
        before,
        alone: alone.reads,
        amongFew: amongFew.reads,
        besideStream: besideStream.reads,
      },
    };
  } finally {
    await store.close();
    await server.stop();
  }
}

/** Works until the reads have ended; where either fails, the other is over too before it throws. */
async function beside<Found>(
  reading: Promise<LoadResult>,
  work: (ended: () => boolean) => Promise<Found>,
): Promise<{ reads: LoadResult; found: Found }> {
  let ended = false;
  const reads = reading.finally(() => {
    ended = true;
  });
  const working = work(() => ended);
  await Promise.allSettled([reads, working]);
  return { found: await working, reads: await reads };
}

/** Takes one track after the other down and restores it, and waits each time until that shows. */
async function watch(
  store: Store,
  question: { port: number; authorization: string },
  tracks: readonly UniquelyNamed[],
  ended: () => boolean,
): Promise<number[]> {
  const agent = new Agent({ keepAlive: true });
  const waits: number[] = [];
  for (let i = 0; !ended(); i++) {
    const { id, word } = tracks[i % tracks.length]!;
    for (const state of ['taken_down', 'live'] as const) {
      await store.catalog.setState(id, state, 'bench');
      const committedAt = performance.now();
      while ((await isFound(agent, question, word, id)) !== (state === 'live')) {
        if (performance.now() - committedAt > MAX_WAIT_MS) throw new Error('a change never showed');
        await delay(5);
      }
      waits.push(performance.now() - committedAt);
    }
    // Not in step with the follower, which would flatter or wrong it.
    await delay(50 + 130 * ((i * 0.618) % 1));
  }
  agent.destroy();
  return waits;
}

/** Takes tracks down and restores them, one after the other; gives how many changes it made. */
async function stream(
  store: Store,
  tracks: readonly UniquelyNamed[],
  ended: () => boolean,
): Promise<number> {
  let changes = 0;
  for (let i = 0; !ended(); i = (i + 1) % tracks.length) {
    for (const state of ['taken_down', 'live'] as const) {
      await store.catalog.setState(tracks[i]!.id, state, 'bench');
      changes++;
    }
    // The store is synchronous: the watcher beside it needs its turn.
    await delay(0);
  }
  return changes;
}

/**
 * Whether the index still finds the track by its word; another can only be found as a typo of it. One
 * that was taken down is left out of the page as soon as its document is asked for, but not of the total.
 */
function isFound(
  agent: Agent,
  { port, authorization }: { port: number; authorization: string },
  word: string,
  id: string,
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const options = {
      agent,
      port,
      host: '127.0.0.1',
      path: `/v1/tracks?search=${word}&pageSize=1`,
      headers: { authorization },
    };
    get(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        // A node with too much to do refuses, which shows nothing either.
        if (response.statusCode !== 200) return resolve(false);
        const { items, totalRecords } = JSON.parse(body).data;
        resolve(items.length === 0 ? totalRecords > 0 : items[0].id === id);
      });
    }).on('error', reject);
  });
}

/** What the issue asks, and the same beside a stream of changes. */
export function changeRows(figures: ChangeFigures): Row[] {
  const at = figures.tracks.toLocaleString('en');
  const { before, alone, amongFew, besideStream } = figures.reads;
  const refused = ({ failures }: LoadResult) =>
    failures > 0 ? `, ${shown(failures)} refused` : '';
  const row = (what: string, waits: number[], reads: LoadResult, goal: string): Row => ({
    what,
    at,
    figure: `${shownSpread(spread(waits), ' ms')}, ${waits.length} changes; reads p99 ${shown(reads.p99)} ms, longest ${shown(reads.max)} ms${refused(reads)} (without changes ${shown(before.p99)} and ${shown(before.max)} ms${refused(before)})`,
    goal,
  });
  return [
    row(
      'a change visible, under the cold mix',
      figures.alone,
      alone,
      'under 1 s, with p99 of concurrent reads under 20 ms',
    ),
    row(
      `a change visible, under the cold mix on ${FEW_CONNECTIONS} connections`,
      figures.amongFew,
      amongFew,
      '',
    ),
    row(
      `a change visible, beside a stream of ${shown(figures.streamPerSecond)} changes a second`,
      figures.besideStream,
      besideStream,
      '',
    ),
  ];
}
