import type { Actor } from '../../common/caller.ts';
import type { ChangeReason } from '../../engines/change-log/change-log.ts';
import type { ChosenState, TrackState } from '../availability/availability.ts';
import type { ChangedState } from '../catalog/catalog-stores.ts';
import { type FoundTrack, STATE_SLICE } from './found-track.ts';
import type { ReferenceStore } from './store/reference-store.ts';
import type { TrackFinder } from './store/track-finder.ts';
import type { TrackHolders } from './track-references.ts';

const MAX_OUTCOMES = 10_000;
/** The greatest lengths of what the log keeps, in characters. */
export const MAX_REASON = 500;
export const MAX_REFERENCE = 200;
/** The tracks that one query reads. */
const SLICE = 1_000;

/** What a change of states needs; an `AppContext` has it. */
export interface StateDependencies {
  store: { trackFinder: TrackFinder; references: ReferenceStore };
  by: Actor;
}

export interface StateRequest extends ChangeReason {
  state: ChosenState;
  dryRun: boolean;
  isBulk: boolean;
  /** Whether a takedown ends the downloads of licenses, too, also of tracks that were taken down before. */
  alsoLicensed?: boolean;
  confirm?(changingCount: number): Promise<void>;
}

/** What a change of states did, or would do. */
export interface StateResult extends TrackHolders, ChangeReason {
  state: ChosenState;
  dryRun: boolean;
  /** How many tracks were chosen, changed, and had the state already. */
  selectedCount: number;
  changedCount: number;
  unchangedCount: number;
  /** The withdrawn tracks that a restoration of many left as they are. */
  withdrawnCount: number;
  /** The tracks that a restoration left outside of their periods of availability. */
  unavailableCount: number;
  /** The first MAX_OUTCOMES. */
  tracks: TrackOutcome[];
}

/** A track with the state that it has now, or would have. */
export interface TrackOutcome {
  id: string;
  slug: string;
  changed: boolean;
  state: TrackState;
}

/**
 * Takes tracks down or makes them live, in slices, and finds what refers to them. A change that was interrupted can be
 * repeated.
 *
 * @param change.isBulk whether the tracks were not chosen one by one: a restoration then leaves withdrawn ones as they are
 * @param change.confirm called with the number of tracks that will change, before they do
 */
export async function changeStates(
  { store, by }: StateDependencies,
  rowIds: readonly number[],
  { state, reason, reference, dryRun, isBulk, alsoLicensed = false, confirm }: StateRequest,
): Promise<StateResult> {
  const plan = new Plan(state, isBulk);
  for await (const tracks of tracksOf(store.trackFinder, rowIds)) plan.add(tracks);
  const holders = await store.references.holdersOf(rowIds);
  const { changing } = plan;
  if (!dryRun) await confirm?.(changing.length);
  for (let from = 0; !dryRun && from < changing.length; from += STATE_SLICE) {
    const some = changing.slice(from, from + STATE_SLICE);
    plan.record(some, await store.trackFinder.setStates(some, { state, reason, reference }, by));
  }
  for (let from = 0; !dryRun && alsoLicensed && from < rowIds.length; from += STATE_SLICE) {
    await store.trackFinder.withhold(rowIds.slice(from, from + STATE_SLICE));
  }
  return { state, dryRun, ...plan.counts, tracks: plan.tracks, reason, reference, ...holders };
}

class Plan {
  readonly changing: number[] = [];
  readonly tracks: TrackOutcome[] = [];
  readonly #state: ChosenState;
  readonly #isBulk: boolean;
  /** The first tracks by row id. */
  readonly #outcomes = new Map<number, TrackOutcome>();
  #selected = 0;
  #leftWithdrawn = 0;
  #unchangedMeanwhile = 0;
  /** The tracks that stay unavailable, and the tracks that become unavailable. */
  #outside = { before: 0, after: 0 };

  constructor(state: ChosenState, isBulk: boolean) {
    this.#state = state;
    this.#isBulk = isBulk;
  }

  get counts() {
    const selectedCount = this.#selected;
    const changedCount = this.changing.length - this.#unchangedMeanwhile;
    const withdrawnCount = this.#leftWithdrawn;
    const { before, after } = this.#outside;
    const unchangedCount = selectedCount - changedCount - withdrawnCount - before;
    const counts = { selectedCount, changedCount, unchangedCount, withdrawnCount };
    return { ...counts, unavailableCount: before + after };
  }

  add(tracks: readonly FoundTrack[]): void {
    const restores = this.#state === 'live';
    for (const { rowId, id, slug, state } of tracks) {
      this.#selected++;
      // The source has withdrawn it: that the others come back is no reason for this one.
      const isLeft = this.#isBulk && restores && state === 'withdrawn';
      // Nobody took it down: its period brings it back.
      const isOutside = restores && state === 'unavailable';
      const changed = !isLeft && !isOutside && state !== this.#state;
      if (isLeft) this.#leftWithdrawn++;
      if (isOutside) this.#outside.before++;
      if (changed) this.changing.push(rowId);
      if (this.tracks.length < MAX_OUTCOMES) {
        const outcome = { id, slug, changed, state: changed ? this.#state : state };
        this.tracks.push(outcome);
        this.#outcomes.set(rowId, outcome);
      }
    }
  }

  /** Records what a transaction has changed. Another command may have changed the others meanwhile. */
  record(chosen: readonly number[], changed: readonly ChangedState[]): void {
    const left = new Set(chosen);
    for (const { rowId, state } of changed) {
      left.delete(rowId);
      if (state === 'unavailable') this.#outside.after++;
      const outcome = this.#outcomes.get(rowId);
      if (outcome !== undefined) outcome.state = state;
    }
    this.#unchangedMeanwhile += left.size;
    for (const rowId of left) {
      const outcome = this.#outcomes.get(rowId);
      if (outcome !== undefined) outcome.changed = false;
    }
  }
}

/** Yields tracks by row id, some at a time, without those that were removed meanwhile, in the given order. */
async function* tracksOf(
  finder: TrackFinder,
  rowIds: readonly number[],
): AsyncGenerator<FoundTrack[]> {
  for (let from = 0; from < rowIds.length; from += SLICE) {
    const some = rowIds.slice(from, from + SLICE);
    const found = new Map((await finder.withRowIds(some)).map((track) => [track.rowId, track]));
    yield some.flatMap((rowId) => found.get(rowId) ?? []);
  }
}
