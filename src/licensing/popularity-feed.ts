import { MODES, type Mode } from '../access/client.ts';
import type { Change, ChangeLog } from '../changes/change-log.ts';
import type { LicenceStore } from './licence.ts';

/** What goes by how often tracks were licensed. */
export interface PopularitySink {
  /** Takes the counts of a mode, by track id, in place of those before; the rest count 0. */
  setPopularity(mode: Mode, counts: ReadonlyMap<string, number>): Promise<void>;
}

/**
 * Keeps what sorts by popularity up to date: gives it the licences of all time, of each mode, at
 * first and again when the change log says that licences have changed. Costs a pass over all of them
 * each time, so the follower that drives it should look at the log once a second at most.
 */
export class PopularityFeed {
  readonly #licences: Pick<LicenceStore, 'countsByTrack'>;
  readonly #changes: Pick<ChangeLog, 'head'>;
  readonly #sink: PopularitySink;
  #position = 0;

  constructor(needs: {
    licences: Pick<LicenceStore, 'countsByTrack'>;
    changes: Pick<ChangeLog, 'head'>;
    sink: PopularitySink;
  }) {
    this.#licences = needs.licences;
    this.#changes = needs.changes;
    this.#sink = needs.sink;
  }

  /** How far in the change log it is: every change of a licence up to here is counted. */
  get position(): number {
    return this.#position;
  }

  /** Counts all licences and hands the counts on. */
  async load(): Promise<void> {
    // Before the pass: what is committed meanwhile is then seen by the next one.
    const head = await this.#changes.head();
    for (const mode of MODES) {
      await this.#sink.setPopularity(mode, await this.#licences.countsByTrack(mode));
    }
    this.#position = head;
  }

  /** Counts anew where the log tells of licences that are not counted yet. Calls must not overlap. */
  async apply(changes: readonly Change[]): Promise<void> {
    const isNews = ({ entity, seq }: Change) => entity === 'licence' && seq > this.#position;
    if (changes.some(isNews)) await this.load();
  }
}
