/** The types of tracks that the index distinguishes: the same as those of the catalog. */
export type TrackType = 'music' | 'sfx';
