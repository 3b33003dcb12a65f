import type { Migration } from '../schema-dialect.ts';

/**
 * What decides in SQL whether licenses collide, and which license of a production a track has: short columns, because the
 * documents and certificates of licenses have many kilobytes. Quotes get the time until which they are kept, because a
 * test request may state another time than that of the clock.
 */
export const usesOfLicenses: Migration = {
  summary: 'what decides whether licenses collide',
  compatibleFrom: 10,
  common: (d) => `
CREATE TABLE issued_license_uses (
  license_row_id ${d.integer} NOT NULL PRIMARY KEY REFERENCES issued_licenses,
  client_id ${d.text} NOT NULL,
  media ${d.jsonArray('media')} NOT NULL,
  territories ${d.jsonArray('territories')} NOT NULL,
  starts_at ${d.integer} NOT NULL
) ${d.table};

ALTER TABLE issued_license_tracks ADD COLUMN mode ${d.text} NOT NULL DEFAULT 'live';
-- The end of the license; 2^53 - 1 if it does not end, 0 if it was revoked.
ALTER TABLE issued_license_tracks ADD COLUMN occupied_until ${d.integer} NOT NULL DEFAULT 0;
UPDATE issued_license_tracks SET
  mode = (SELECT license.mode FROM issued_licenses AS license WHERE license.row_id = license_row_id),
  occupied_until = (
    SELECT CASE WHEN license.revoked_at IS NULL THEN coalesce(license.ends_at, 9007199254740991) ELSE 0 END
    FROM issued_licenses AS license WHERE license.row_id = license_row_id
  );
CREATE INDEX issued_license_tracks_by_use
  ON issued_license_tracks (track_id, mode, exclusive, occupied_until, license_row_id);
DROP INDEX issued_license_tracks_by_track;

ALTER TABLE issued_licenses ADD COLUMN production_id ${d.text};
-- These have all columns that a condition on the state reads.
CREATE INDEX issued_licenses_by_production
  ON issued_licenses (client_id, mode, production_id, issued_at, number, starts_at, ends_at, revoked_at)
  WHERE production_id IS NOT NULL;
CREATE INDEX issued_licenses_of_client
  ON issued_licenses (client_id, mode, issued_at, number, starts_at, ends_at, revoked_at);
DROP INDEX issued_licenses_by_client;

ALTER TABLE quotes ADD COLUMN kept_until ${d.integer} NOT NULL DEFAULT 9007199254740991;
UPDATE quotes SET kept_until = expires_at + 34560000000;
CREATE INDEX quotes_by_retention ON quotes (kept_until) WHERE license_row_id IS NULL;
DROP INDEX quotes_by_expiry;
-- The ids of quotes are in the order in which they were made.
CREATE INDEX quotes_of_client ON quotes (client_id, id);
DROP INDEX quotes_by_time;
`,
  sqlite: `
INSERT INTO issued_license_uses (license_row_id, client_id, media, territories, starts_at)
  SELECT row_id, client_id, json_extract(document, '$.media'), json_extract(document, '$.territories'), starts_at
  FROM issued_licenses;
UPDATE issued_licenses SET production_id = json_extract(document, '$.project.productionId');
`,
  postgres: `
INSERT INTO issued_license_uses (license_row_id, client_id, media, territories, starts_at)
  SELECT row_id, client_id, document::jsonb ->> 'media', document::jsonb ->> 'territories', starts_at
  FROM issued_licenses;
UPDATE issued_licenses SET production_id = document::jsonb #>> '{project,productionId}';
`,
};
