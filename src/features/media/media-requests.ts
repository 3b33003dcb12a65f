import type { Mode } from '../../common/caller.ts';
import type { Clock } from '../../common/clock.ts';
import { type CountStore, CountWriter } from '../../common/memory/count-writer.ts';

/**
 * A `part` is a stem or an alternate version, an `archive` the ZIP of all parts, and a `download` a file of a license,
 * counted once a day.
 */
export type SentMedia = 'stream' | 'preview' | 'part' | 'archive' | 'download';

/** Longer than the three years in which a claim of copyright can be made (17 U.S.C. § 507(b)). */
export const KEPT_MS = (3 * 366 + 31) * 24 * 60 * 60_000;

/** The requests of one client for one track in one month. */
export interface MediaRequestCount {
  trackId: string;
  clientId: string;
  mode: Mode;
  kind: SentMedia;
  /** The start of the month in UTC, in milliseconds since the epoch. */
  at: number;
  /** Responses with audio, or with a redirect to it. A player makes several requests for one play. */
  requests: number;
  /** In milliseconds since the epoch. */
  firstAt: number;
  lastAt: number;
}

export type MediaUse = Omit<MediaRequestCount, 'trackId' | 'at'>;

/** Counts requests in memory, and adds the counts to the database every five seconds. */
export class MediaRequestCounter extends CountWriter<MediaRequestCount> {
  readonly #clock: Clock;

  constructor(deps: {
    clock: Clock;
    store: CountStore<MediaRequestCount>;
    onError: (error: unknown) => void;
    /** For tests that cannot wait. */
    writeMs?: number;
  }) {
    super({
      name: 'writing the counts of streams',
      store: deps.store,
      keyOf: ({ at, trackId, clientId, mode, kind }) =>
        `${at} ${trackId} ${clientId} ${mode} ${kind}`,
      merge(into, count) {
        into.requests += count.requests;
        into.firstAt = Math.min(into.firstAt, count.firstAt);
        into.lastAt = Math.max(into.lastAt, count.lastAt);
      },
      onError: deps.onError,
      writeMs: deps.writeMs,
    });
    this.#clock = deps.clock;
  }

  count({
    trackId,
    clientId,
    mode,
    kind,
  }: Pick<MediaRequestCount, 'trackId' | 'clientId' | 'mode' | 'kind'>): void {
    const now = this.#clock.now();
    const at = monthOf(now);
    this.add({
      ...{ trackId, clientId, mode, kind, at },
      ...{ requests: 1, firstAt: now, lastAt: now },
    });
  }
}

/** Returns the start of the month of a time, in UTC. */
export function monthOf(time: number): number {
  const date = new Date(time);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}
