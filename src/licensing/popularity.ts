import type { Mode } from '../access/client.ts';
import type { ChangeLog } from '../changes/change-log.ts';
import { type Clock, DAY_MS } from '../kernel/clock.ts';
import type { LicenceStore, LicensedTrack, PopularityPeriod, PopularityQuery } from './licence.ts';

const PERIOD_DAYS: Record<PopularityPeriod, number | null> = {
  '7d': 7,
  '30d': 30,
  '90d': 90,
  '365d': 365,
  all: null,
};

/** A ranking is handed out again without a look at the store for this long. */
const FRESH_MS = 1000;
/** And for this long while nothing at all has changed; after it, the period itself has moved on. */
const UNCHANGED_MS = 60_000;

/** Says of track ids which are live and match: by the store's numbers of those tracks. */
export interface TrackSieve {
  locate(
    ids: readonly string[],
    query: { type?: PopularityQuery['type']; filterSlugs?: readonly string[] },
  ): (number | undefined)[];
}

/** A track with its place among the most licensed. */
export interface PopularTrack extends LicensedTrack {
  /** The store's number of the track. */
  no: number;
}

interface Ranking {
  takenAt: number;
  /** The head of the change log before the ranking was read. */
  head: number;
  trackIds: readonly string[];
  counts: ReadonlyMap<string, number>;
}

/**
 * The most-licensed tracks of a mode (decisions §5). The store's pass over the licences is made at
 * most once a second for each mode and period, and not at all while the change log stands still.
 */
export class Popularity {
  readonly #licences: Pick<LicenceStore, 'mostLicensed'>;
  readonly #changes: Pick<ChangeLog, 'head'>;
  readonly #catalog: TrackSieve;
  readonly #clock: Clock;
  readonly #rankings = new Map<string, Ranking>();
  readonly #pending = new Map<string, Promise<Ranking>>();

  constructor(needs: {
    licences: Pick<LicenceStore, 'mostLicensed'>;
    changes: Pick<ChangeLog, 'head'>;
    catalog: TrackSieve;
    clock: Clock;
  }) {
    this.#licences = needs.licences;
    this.#changes = needs.changes;
    this.#catalog = needs.catalog;
    this.#clock = needs.clock;
  }

  /** Live tracks with at least one licence, most licensed first, ties by id; the whole list. */
  async mostLicensed(query: PopularityQuery): Promise<PopularTrack[]> {
    const { trackIds, counts } = await this.#ranking(query);
    const { type, filterSlugs } = query;
    const numbers = this.#catalog.locate(trackIds, {
      ...(type && { type }),
      ...(filterSlugs && { filterSlugs }),
    });
    return numbers.flatMap((no, i) => {
      const trackId = trackIds[i]!;
      return no === undefined ? [] : [{ no, trackId, licenseCount: counts.get(trackId)! }];
    });
  }

  async #ranking({ mode, period }: PopularityQuery): Promise<Ranking> {
    const key = `${mode} ${period}`;
    const known = this.#rankings.get(key);
    const age = known === undefined ? Number.POSITIVE_INFINITY : this.#clock.now() - known.takenAt;
    if (known !== undefined && age >= 0 && age < FRESH_MS) {
      return known;
    }
    // Requests that arrive while a pass is under way share it.
    let pending = this.#pending.get(key);
    if (pending === undefined) {
      pending = this.#take(mode, period, known).finally(() => this.#pending.delete(key));
      this.#pending.set(key, pending);
    }
    const ranking = await pending;
    this.#rankings.set(key, ranking);
    return ranking;
  }

  async #take(mode: Mode, period: PopularityPeriod, known?: Ranking): Promise<Ranking> {
    const now = this.#clock.now();
    // Read before the pass: a change between the two is then seen by the next comparison.
    const head = await this.#changes.head();
    if (known?.head === head && Math.abs(now - known.takenAt) < UNCHANGED_MS) {
      return known;
    }
    const days = PERIOD_DAYS[period];
    const since = days === null ? null : now - days * DAY_MS;
    const tracks = await this.#licences.mostLicensed(mode, since);
    const counts = new Map(tracks.map((track) => [track.trackId, track.licenseCount]));
    return { takenAt: now, head, trackIds: [...counts.keys()], counts };
  }
}
