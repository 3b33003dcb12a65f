import type { Migration } from '../schema-dialect.ts';

/** What was sent of which track to whom. A node of the version before does not count it. */
export const requestsForMedia: Migration = {
  summary: 'the requests of clients for the media of tracks, by month',
  compatibleFrom: 10,
  common: (d) => `
CREATE TABLE media_requests (
  -- Not references: a report outlives the track and the client.
  track_id ${d.text} NOT NULL,
  client_id ${d.text} NOT NULL,
  mode ${d.text} NOT NULL,
  -- stream, preview, part or archive
  kind ${d.text} NOT NULL,
  -- The start of the month.
  at ${d.integer} NOT NULL,
  requests ${d.integer} NOT NULL,
  first_at ${d.integer} NOT NULL,
  last_at ${d.integer} NOT NULL,
  PRIMARY KEY (track_id, client_id, mode, kind, at)
) ${d.keyedTable};
CREATE INDEX media_requests_by_month ON media_requests (at);
`,
};
