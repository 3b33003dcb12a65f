import type { Migration } from '../schema-dialect.ts';

/** What was sent of which track to whom. A node of the version before does not count it. */
export const requestsForMedia: Migration = {
  summary: 'the requests of clients for the media of tracks, by month',
  compatibleFrom: 10,
  common: (d) => `
CREATE TABLE media_requests (
  -- The start of the month. It comes first in the key, so that months are written side by side and deleted without a scan.
  at ${d.integer} NOT NULL,
  -- Not references: a report outlives the track and the client.
  track_id ${d.text} NOT NULL,
  client_id ${d.text} NOT NULL,
  mode ${d.text} NOT NULL,
  -- stream, preview, part or archive
  kind ${d.text} NOT NULL,
  requests ${d.integer} NOT NULL,
  first_at ${d.integer} NOT NULL,
  last_at ${d.integer} NOT NULL,
  PRIMARY KEY (at, track_id, client_id, mode, kind)
) ${d.keyedTable};
`,
};
