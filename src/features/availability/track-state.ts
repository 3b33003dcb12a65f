import { type Availability, isAvailable } from './availability.ts';

/**
 * Whether the API shows a track. A track that is not live keeps its id, its slug and its positions in
 * playlists. Only the operator takes a track down and restores it. A prune or an undo withdraws a track, and
 * the next delivery makes it live again. A track outside of its periods of availability is unavailable, and switches
 * by itself. Partners see no difference.
 */
export type TrackState = 'live' | 'taken_down' | 'withdrawn' | 'unavailable';

/** Returns the state of a track by its availability. A track that was taken down or withdrawn stays so. */
export function stateWithin(availability: Availability, state: TrackState): TrackState {
  if (state !== 'live' && state !== 'unavailable') return state;
  return isAvailable(availability) ? 'live' : 'unavailable';
}

/** The states that the operator can set. */
export type ChosenState = 'live' | 'taken_down';
