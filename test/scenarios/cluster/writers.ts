import { setTimeout as sleep } from 'node:timers/promises';
import { openPostgresStore } from '../../../src/app/open/open-postgres.ts';
import { systemClock } from '../../../src/common/clock.ts';
import { derivedId } from '../../../src/common/ids.ts';
import { silentLog } from '../../../src/common/log.ts';
import type { Store } from '../../../src/features/store.ts';
import { delivery } from '../../harness/deliveries.ts';
import { repeated } from './repeated.ts';

/** How many tracks each writer changes repeatedly. */
const TRACKS_EACH = 250;
const BATCH = 25;

export function openStore(url: string, pool = 2): Promise<Store> {
  return repeated(() => openPostgresStore({ url, pool, clock: systemClock, log: silentLog }));
}

/** Writers that record which changes were acknowledged. */
export class Writers {
  readonly #url: string;
  readonly #pauseMs: number;
  /** The last acknowledged version of each track. */
  readonly acknowledged = new Map<string, number>();
  changes = 0;
  refused = 0;
  #isStopped = false;
  #running: Promise<void>[] = [];

  /** @param pauseMs the pause after each batch. */
  constructor(url: string, pauseMs: number) {
    this.#url = url;
    this.#pauseMs = pauseMs;
  }

  start(count: number): void {
    this.#running = Array.from({ length: count }, (_, i) => this.#run(i));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#running);
  }

  async #run(writer: number): Promise<void> {
    const store = await openStore(this.#url);
    for (let batch = 0; !this.#isStopped; batch++) {
      const version = 1 + Math.floor((batch * BATCH) / TRACKS_EACH);
      const first = (batch * BATCH) % TRACKS_EACH;
      const tracks = Array.from({ length: BATCH }, (_, i) => {
        const n = writer * TRACKS_EACH + first + i;
        return delivery(n, { id: derivedId('cluster', String(n)), bpm: String(version) });
      });
      // Repeats the delivery until it is acknowledged, like a repeated `stave import`.
      while (!(await this.#deliver(store, tracks, `writer ${writer} batch ${batch}`))) {
        if (this.#isStopped) break;
        this.refused++;
        await sleep(50);
      }
      await sleep(this.#pauseMs);
    }
    await store.close();
  }

  async #deliver(store: Store, tracks: ReturnType<typeof delivery>[], batchId: string) {
    try {
      const session = await store.catalog.openDelivery('test:writers', batchId);
      const outcomes = await session.deliver(tracks);
      for (const [i, track] of tracks.entries()) {
        this.acknowledged.set(track.id, Number(track.bpm));
        if (outcomes[i] !== 'unchanged') this.changes++;
      }
      await session.close().catch(() => {});
      return true;
    } catch {
      return false;
    }
  }
}
