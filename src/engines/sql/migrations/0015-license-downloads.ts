import type { Migration } from '../schema.ts';

export const licenseDownloads: Migration = {
  summary: 'downloads under licenses, and tracks that are taken down from them, too',
  compatibleFrom: 47,
  common: (d) => `
-- The first download of a file on each day.
CREATE TABLE license_downloads (
  license_row_id ${d.integer} NOT NULL REFERENCES issued_licenses,
  -- The start of the day in UTC.
  day ${d.integer} NOT NULL,
  -- Not a reference: a license outlives its tracks.
  track_id ${d.text} NOT NULL,
  -- Empty for the track itself.
  part_id ${d.text} NOT NULL,
  -- original, wav, flac or mp3
  format ${d.text} NOT NULL,
  at ${d.integer} NOT NULL,
  -- The size of the file.
  bytes ${d.integer} NOT NULL,
  PRIMARY KEY (license_row_id, day, track_id, part_id, format)
) ${d.keyedTable};
CREATE INDEX license_downloads_by_time ON license_downloads (license_row_id, at);

-- Tracks that were taken down with --also-licensed: those with a license no longer get their audio.
CREATE TABLE withheld_tracks (
  track_row_id ${d.integer} NOT NULL PRIMARY KEY REFERENCES tracks ON DELETE CASCADE
) ${d.keyedTable};
`,
};
