import type { Migration } from '../schema.ts';

export const coverSizes: Migration = {
  summary: 'the size of the artwork that is sent with MP3 files for streaming',
  compatibleFrom: 47,
  common: (d) => `
-- Of the artwork, if it is sent with an MP3: 0 if it is not, null if its size is not known yet.
ALTER TABLE tracks ADD COLUMN cover_bytes ${d.integer};
-- Finds the artwork whose size is not known.
CREATE INDEX tracks_unmeasured ON tracks (artwork_key) WHERE artwork_key IS NOT NULL AND cover_bytes IS NULL;
`,
  // Programs before this version change the artwork and leave the size.
  sqlite: `
CREATE TRIGGER tracks_other_artwork AFTER UPDATE OF artwork_key ON tracks
WHEN new.artwork_key IS NOT old.artwork_key AND new.cover_bytes = old.cover_bytes
BEGIN
  UPDATE tracks SET cover_bytes = NULL WHERE row_id = new.row_id;
END;
`,
  postgres: `
CREATE FUNCTION forget_cover_bytes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  new.cover_bytes = NULL;
  RETURN new;
END $$;
CREATE TRIGGER tracks_other_artwork BEFORE UPDATE OF artwork_key ON tracks FOR EACH ROW
WHEN (new.artwork_key IS DISTINCT FROM old.artwork_key AND new.cover_bytes = old.cover_bytes)
EXECUTE FUNCTION forget_cover_bytes();
`,
};
