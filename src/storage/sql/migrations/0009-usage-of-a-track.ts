import type { Migration } from '../schema-dialect.ts';

/** Finds the reported tracks of an id: several, if the track was removed and imported again. */
export const usageOfATrack: Migration = {
  summary: 'an index of reported tracks',
  compatibleFrom: 10,
  common: () => 'CREATE INDEX usage_tracks_by_id ON usage_tracks (id);',
};
