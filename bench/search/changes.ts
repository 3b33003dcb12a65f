import { Agent, get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { openSqliteStore } from '../../src/app/open/open-sqlite.ts';
import { systemClock } from '../../src/common/clock.ts';
import type { Store } from '../../src/features/store.ts';
import { setTrackState } from '../../test/harness/track-state.ts';
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
/** The time to apply the changes of earlier runs, and to compile the code. */
const WARM_UP_SECONDS = 10;
/** The number of different reads in each load. */
const READS = 60_000;
/** The number of keep-alive connections that do not saturate the service. */
const FEW_CONNECTIONS = 8;
/** The number of tracks whose changes are watched. Each has a unique word in its name. */
const WATCHED = 40;
/** The number of tracks that change as fast as possible beside the watched ones. */
const STREAMED = 2_000;
/** A change that takes longer counts as lost. */
const MAX_WAIT_MS = 30_000;

/** The time until changes are visible, and the latency of reads in that time. */
export interface ChangeFigures {
  tracks: number;
  /** Milliseconds from the commit of each change to the first response that shows it. */
  alone: number[];
  amongFew: number[];
  besideStream: number[];
  /** Changes per second in the stream. */
  streamPerSecond: number;
  /** The reads without changes, beside single changes, the same on few connections, and beside the stream. */
  reads: { before: LoadResult; alone: LoadResult; amongFew: LoadResult; besideStream: LoadResult };
}

/**
 * Takes tracks down and restores them by writing to the store, as another process does, while the service
 * responds to the cold mix on 32 connections: first one change at a time, then the same with eight connections,
 * then beside a stream of changes.
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
  // An interrupted run may have left some of them taken down.
  for (const { id } of marked) await setTrackState(store, id, 'live', 'bench');
  const server = await serve(data.settings, PORT);
  try {
    const authorization = await tokenFor(server.port, data.clients[0]!);
    const service = { port: server.port, authorization, authorizations: [authorization] };
    const job = (seconds = SECONDS) => jobOf(service, mix.paths(), seconds, false);
    const few = () => ({ ...job(), connections: FEW_CONNECTIONS });
    const reads = (loadJob = job()) => load(loadJob, { mayFail: true });
    await reads(job(WARM_UP_SECONDS));
    const before = await reads();
    const watching = (ended: () => boolean) => watch(store, service, watched, ended);
    const alone = await beside(reads(), watching);
    const amongFew = await beside(reads(few()), watching);
    const besideStream = await beside(reads(), async (ended) => {
      const both = [watch(store, service, watched, ended), stream(store, streamed, ended)] as const;
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

/** Works until the reads have ended. If one of them fails, waits for the other before it throws. */
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

/** Takes one track after the other down and restores it. Waits each time until the change is visible. */
async function watch(
  store: Store,
  service: { port: number; authorization: string },
  tracks: readonly UniquelyNamed[],
  ended: () => boolean,
): Promise<number[]> {
  const agent = new Agent({ keepAlive: true });
  const waits: number[] = [];
  for (let i = 0; !ended(); i++) {
    const { id, word } = tracks[i % tracks.length]!;
    for (const state of ['taken_down', 'live'] as const) {
      await setTrackState(store, id, state, 'bench');
      const committedAt = performance.now();
      while ((await isFound(agent, service, word, id)) !== (state === 'live')) {
        if (performance.now() - committedAt > MAX_WAIT_MS)
          throw new Error('a change did not become visible');
        await delay(5);
      }
      waits.push(performance.now() - committedAt);
    }
    // The pause varies, because a fixed one could match the interval of the follower and distort the figure.
    await delay(50 + 130 * ((i * 0.618) % 1));
  }
  agent.destroy();
  return waits;
}

/** Takes tracks down and restores them, one after the other. Returns the number of changes. */
async function stream(
  store: Store,
  tracks: readonly UniquelyNamed[],
  ended: () => boolean,
): Promise<number> {
  let changes = 0;
  for (let i = 0; !ended(); i = (i + 1) % tracks.length) {
    for (const state of ['taken_down', 'live'] as const) {
      await setTrackState(store, tracks[i]!.id, state, 'bench');
      changes++;
    }
    // The store is synchronous, so the watcher in this thread needs a pause.
    await delay(0);
  }
  return changes;
}

/**
 * Whether the index still finds the track by its word. Another track can only match with a typo. A track that
 * was taken down is omitted from the page as soon as its document is read, but the total still counts it.
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
        // An overloaded node refuses the request, which does not show the change.
        if (response.statusCode !== 200) return resolve(false);
        const { items, totalRecords } = JSON.parse(body).data;
        resolve(items.length === 0 ? totalRecords > 0 : items[0].id === id);
      });
    }).on('error', reject);
  });
}

/** The figures that have a goal, and the same beside a stream of changes. */
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
      `a change visible, beside a stream of ${shown(figures.streamPerSecond)} changes per second`,
      figures.besideStream,
      besideStream,
      '',
    ),
  ];
}
