import type { TrackState } from '../track-state.ts';

/** The condition for unavailable tracks, in the SQL of both databases. */
const UNAVAILABLE = "state = 'taken_down' AND withdrawn AND unavailable";

/** The condition for tracks that are live in their periods of availability. */
export const LIVE_OR_UNAVAILABLE = `(state = 'live' OR ${UNAVAILABLE})`;

/**
 * The state of a row of `tracks`, in the SQL of both databases. A withdrawn track is stored as a taken-down one with a
 * mark, and an unavailable track as a withdrawn one with another mark, so that an older program, which does not know the
 * mark, does not show it, and can take it down.
 */
export const TRACK_STATE = `
  CASE WHEN ${UNAVAILABLE} THEN 'unavailable'
       WHEN state = 'taken_down' AND withdrawn THEN 'withdrawn' ELSE state END`;

/** The columns in which the state is stored. */
export interface StateColumns {
  state: 'live' | 'taken_down';
  withdrawn: boolean;
  unavailable: boolean;
}

/** Returns the columns of a state. */
export function stateColumns(state: TrackState): StateColumns {
  return {
    state: state === 'live' ? 'live' : 'taken_down',
    withdrawn: state === 'withdrawn' || state === 'unavailable',
    unavailable: state === 'unavailable',
  };
}
