import type { ChangeReason } from '../../engines/change-log/change-log.ts';
import type { ChosenState, TrackState } from '../availability/track-state.ts';

/** A change of the state of tracks. */
export interface StateChange extends ChangeReason {
  state: ChosenState;
}

/** A track whose state has changed. */
export interface ChangedState {
  rowId: number;
  state: TrackState;
}
