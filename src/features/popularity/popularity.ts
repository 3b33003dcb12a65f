import { MODES, type Mode } from '../../common/caller.ts';
import { type Clock, DAY_MS } from '../../common/clock.ts';
import { keptIn } from '../../common/memory/caches.ts';
import type { Change, ChangeLog } from '../../engines/change-log/change-log.ts';
import type { LiveCatalog } from '../catalog/live/live-catalog.ts';
import type { LicensedTrack, PopularityPeriod, PopularityQuery } from '../licensing/license.ts';
import type { LicenseStore } from '../licensing/store/license-store.ts';

const PERIOD_DAYS: Record<PopularityPeriod, number | null> = {
  '7d': 7,
  '30d': 30,
  '90d': 90,
  '365d': 365,
  all: null,
};

/** How long a ranking is reused without reading the store. */
const FRESH_MS = 1000;
/** How long a ranking is reused while the change log has not changed. Then the period itself has moved. */
const UNCHANGED_MS = 60_000;

export interface PopularTrack extends LicensedTrack {
  rowId: number;
}

interface Ranking {
  takenAt: number;
  /** The head of the change log before the ranking was read. */
  head: number;
  trackIds: readonly string[];
  counts: ReadonlyMap<string, number>;
}

/**
 * The most licensed tracks of a mode (docs/contract/analytics.md#counted-licenses). Reads the licenses at most once a
 * second for each mode and period, and only once a minute while the change log does not change.
 */
export class Popularity {
  readonly #licenses: Pick<LicenseStore, 'mostLicensed'>;
  readonly #changes: Pick<ChangeLog, 'head'>;
  readonly #catalog: Pick<LiveCatalog, 'locate'>;
  readonly #clock: Clock;
  readonly #rankings = new Map<string, Ranking>();
  readonly #pending = new Map<string, Promise<Ranking>>();

  constructor(needs: {
    licenses: Pick<LicenseStore, 'mostLicensed'>;
    changes: Pick<ChangeLog, 'head'>;
    catalog: Pick<LiveCatalog, 'locate'>;
    clock: Clock;
  }) {
    this.#licenses = needs.licenses;
    this.#changes = needs.changes;
    this.#catalog = needs.catalog;
    this.#clock = needs.clock;
  }

  /** All live tracks with at least one license, most licensed first, ties by id. */
  async mostLicensed(query: PopularityQuery): Promise<PopularTrack[]> {
    const { trackIds, counts } = await this.#ranking(query);
    const { type, filterSlugs } = query;
    const rowIds = this.#catalog.locate(trackIds, { type, filterSlugs });
    return rowIds.flatMap((rowId, i) => {
      const trackId = trackIds[i]!;
      return rowId === undefined ? [] : [{ rowId, trackId, licenseCount: counts.get(trackId)! }];
    });
  }

  async #ranking({ mode, period }: PopularityQuery): Promise<Ranking> {
    const key = `${mode} ${period}`;
    const known = this.#rankings.get(key);
    const age = known === undefined ? Number.POSITIVE_INFINITY : this.#clock.now() - known.takenAt;
    if (known !== undefined && age >= 0 && age < FRESH_MS) {
      return known;
    }
    // Requests that arrive during a read share it.
    const pending = keptIn(this.#pending, key, () =>
      this.#take(mode, period, known).finally(() => this.#pending.delete(key)),
    );
    const ranking = await pending;
    this.#rankings.set(key, ranking);
    return ranking;
  }

  async #take(mode: Mode, period: PopularityPeriod, known?: Ranking): Promise<Ranking> {
    const now = this.#clock.now();
    // The head is read before the licenses, so that the next comparison detects a change in between.
    const head = await this.#changes.head();
    if (known?.head === head && Math.abs(now - known.takenAt) < UNCHANGED_MS) {
      return known;
    }
    const days = PERIOD_DAYS[period];
    const since = days === null ? null : now - days * DAY_MS;
    const tracks = await this.#licenses.mostLicensed(mode, since);
    const counts = new Map(tracks.map((track) => [track.trackId, track.licenseCount]));
    return { takenAt: now, head, trackIds: [...counts.keys()], counts };
  }
}

/**
 * Passes the counts of all licenses of each mode to the catalog, at the start and when the change log has changes of
 * licenses. Each update reads all licenses, so the follower that calls `apply` should poll at most once a second.
 */
export class PopularityFeed {
  readonly #licenses: Pick<LicenseStore, 'countsByTrack'>;
  readonly #changes: Pick<ChangeLog, 'head'>;
  readonly #catalog: Pick<LiveCatalog, 'setPopularity'>;
  #position = 0;

  constructor(needs: {
    licenses: Pick<LicenseStore, 'countsByTrack'>;
    changes: Pick<ChangeLog, 'head'>;
    catalog: Pick<LiveCatalog, 'setPopularity'>;
  }) {
    this.#licenses = needs.licenses;
    this.#changes = needs.changes;
    this.#catalog = needs.catalog;
  }

  /** The `seq` up to which every change of a license is counted. */
  get position(): number {
    return this.#position;
  }

  /** Counts all licenses and passes the counts on. */
  async load(): Promise<void> {
    // The head is read first, so that the next update counts changes that are committed meanwhile.
    const head = await this.#changes.head();
    for (const mode of MODES) {
      await this.#catalog.setPopularity(mode, await this.#licenses.countsByTrack(mode));
    }
    this.#position = head;
  }

  /** Counts again if the changes include licenses that are not counted yet. Calls must not overlap. */
  async apply(changes: readonly Change[]): Promise<void> {
    const isNews = ({ entity, seq }: Change) => entity === 'license' && seq > this.#position;
    if (changes.some(isNews)) await this.load();
  }
}
