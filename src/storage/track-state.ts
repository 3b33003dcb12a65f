/**
 * The state of a row of `tracks`, in the SQL of both databases. A withdrawn track is stored as a taken-down
 * one with a mark, so that an older program, which does not know the mark, does not show it.
 */
export const TRACK_STATE = `
  CASE WHEN state = 'taken_down' AND withdrawn THEN 'withdrawn' ELSE state END`;
