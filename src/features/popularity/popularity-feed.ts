import { MODES, type Mode } from '../../common/caller.ts';
import type { Change, ChangeLog } from '../../engines/change-log/change-log.ts';
import type { LicenseStore } from '../licensing/store/license-store.ts';

/** A component that sorts by popularity. */
export interface PopularitySink {
  /** Replaces the counts of a mode, by track id. Missing tracks count 0. */
  setPopularity(mode: Mode, counts: ReadonlyMap<string, number>): Promise<void>;
}

/**
 * Passes the counts of all licenses of each mode to a sink, at the start and when the change log has changes
 * of licenses. Each update reads all licenses, so the follower that drives it should poll at most once a
 * second.
 */
export class PopularityFeed {
  readonly #licenses: Pick<LicenseStore, 'countsByTrack'>;
  readonly #changes: Pick<ChangeLog, 'head'>;
  readonly #sink: PopularitySink;
  #position = 0;

  constructor(needs: {
    licenses: Pick<LicenseStore, 'countsByTrack'>;
    changes: Pick<ChangeLog, 'head'>;
    sink: PopularitySink;
  }) {
    this.#licenses = needs.licenses;
    this.#changes = needs.changes;
    this.#sink = needs.sink;
  }

  /** The `seq` up to which every change of a license is counted. */
  get position(): number {
    return this.#position;
  }

  /** Counts all licenses and passes the counts on. */
  async load(): Promise<void> {
    // The head is read before the licenses: changes that are committed meanwhile are then counted by the next
    // update.
    const head = await this.#changes.head();
    for (const mode of MODES) {
      await this.#sink.setPopularity(mode, await this.#licenses.countsByTrack(mode));
    }
    this.#position = head;
  }

  /** Counts again if the changes include licenses that are not counted yet. Calls must not overlap. */
  async apply(changes: readonly Change[]): Promise<void> {
    const isNews = ({ entity, seq }: Change) => entity === 'license' && seq > this.#position;
    if (changes.some(isNews)) await this.load();
  }
}
