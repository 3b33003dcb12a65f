import type { Migration } from '../schema-dialect.ts';

/** Finds out whether a track, or the former content of one, names an audio file. */
export const tracksByAudio: Migration = {
  summary: 'an index of tracks by their audio',
  compatibleFrom: 10,
  common: () => `
CREATE INDEX tracks_by_audio ON tracks (audio_key) WHERE audio_key IS NOT NULL;
CREATE INDEX former_tracks_by_audio ON former_tracks (audio_key) WHERE audio_key IS NOT NULL;
`,
};
