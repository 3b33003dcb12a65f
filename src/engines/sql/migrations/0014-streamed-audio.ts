import type { Migration } from '../schema.ts';

export const streamedAudio: Migration = {
  summary: 'the number of samples of audio, and whether it plays everywhere',
  compatibleFrom: 47,
  common: (d) => `
-- Of each channel; null if it is unknown.
ALTER TABLE tracks ADD COLUMN samples ${d.integer};
-- Whether all current browsers play the audio; null if it was not probed, or if there is none.
ALTER TABLE tracks ADD COLUMN is_playable ${d.boolean('is_playable')};
-- Finds the audio to be probed.
DROP INDEX tracks_unprobed;
CREATE INDEX tracks_unprobed ON tracks (audio_key) WHERE audio_key IS NOT NULL AND is_playable IS NULL;
`,
  // Programs before this version change the audio and leave what was read of it.
  sqlite: `
DROP TRIGGER tracks_other_audio;
CREATE TRIGGER tracks_other_audio AFTER UPDATE OF audio_key ON tracks
WHEN new.audio_key IS NOT old.audio_key AND new.audio_properties = old.audio_properties
BEGIN
  UPDATE tracks SET audio_properties = NULL, samples = NULL, is_playable = NULL WHERE row_id = new.row_id;
END;
`,
  postgres: `
CREATE OR REPLACE FUNCTION forget_audio_properties() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  new.audio_properties = NULL;
  new.samples = NULL;
  new.is_playable = NULL;
  RETURN new;
END $$;
`,
};
