import type { Migration } from '../schema.ts';

export const vocalsAndAudio: Migration = {
  summary: 'whether tracks are known to have no vocals, and the properties of their audio',
  compatibleFrom: 47,
  common: (d) => `
-- Whether a track without vocals is known to have none.
ALTER TABLE tracks ADD COLUMN is_instrumental ${d.boolean('is_instrumental')} NOT NULL DEFAULT ${d.false};
-- AudioProperties of the audio as a JSON array; null if it was not probed, or if there is none.
ALTER TABLE tracks ADD COLUMN audio_properties ${d.text};
-- Finds the audio to be probed.
CREATE INDEX tracks_unprobed ON tracks (audio_key) WHERE audio_key IS NOT NULL AND audio_properties IS NULL;
`,
  // Programs before this version change the audio and leave the properties.
  sqlite: `
CREATE TRIGGER tracks_other_audio AFTER UPDATE OF audio_key ON tracks
WHEN new.audio_key IS NOT old.audio_key AND new.audio_properties = old.audio_properties
BEGIN
  UPDATE tracks SET audio_properties = NULL WHERE row_id = new.row_id;
END;
`,
  postgres: `
CREATE FUNCTION forget_audio_properties() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  new.audio_properties = NULL;
  RETURN new;
END $$;
CREATE TRIGGER tracks_other_audio BEFORE UPDATE OF audio_key ON tracks FOR EACH ROW
WHEN (new.audio_key IS DISTINCT FROM old.audio_key AND new.audio_properties = old.audio_properties)
EXECUTE FUNCTION forget_audio_properties();
`,
};
