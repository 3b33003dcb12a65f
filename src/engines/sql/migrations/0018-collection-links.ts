import type { Migration } from '../schema.ts';

export const collectionLinks: Migration = {
  summary: 'links to collections, with the votes and comments of guests',
  compatibleFrom: 47,
  common: (d) => `
CREATE TABLE collection_links (
  row_id ${d.rowNumber},
  id ${d.text} NOT NULL UNIQUE,
  collection_row_id ${d.integer} NOT NULL REFERENCES collections ON DELETE CASCADE,
  version ${d.integer} NOT NULL,
  -- The SHA-256 of the token, by which the link is found.
  token_hash ${d.bytes} NOT NULL UNIQUE,
  -- The token, encrypted for the owner.
  sealed_token ${d.bytes} NOT NULL,
  label ${d.text} NOT NULL,
  expires_at ${d.integer} NOT NULL,
  -- The time of the expiry, or that of an earlier end.
  ends_at ${d.integer} NOT NULL,
  -- JSON: the hash of the password, with its salt and cost.
  password ${d.text},
  streams ${d.text} NOT NULL CHECK (streams IN ('full', 'preview')),
  comments ${d.boolean('comments')} NOT NULL,
  created_at ${d.integer} NOT NULL,
  updated_at ${d.integer} NOT NULL,
  by_type ${d.text} NOT NULL,
  by_name ${d.text} NOT NULL,
  opens ${d.integer} NOT NULL DEFAULT 0,
  plays ${d.integer} NOT NULL DEFAULT 0,
  last_opened_at ${d.integer},
  CHECK (ends_at <= expires_at)
) ${d.table};
CREATE INDEX collection_links_by_collection ON collection_links (collection_row_id, created_at);
CREATE INDEX collection_links_by_end ON collection_links (ends_at);

CREATE TABLE link_guests (
  row_id ${d.rowNumber},
  link_row_id ${d.integer} NOT NULL REFERENCES collection_links ON DELETE CASCADE,
  -- The SHA-256 of what the page of the guest has drawn.
  guest_hash ${d.bytes} NOT NULL,
  name ${d.text} NOT NULL,
  UNIQUE (link_row_id, guest_hash)
) ${d.table};

CREATE TABLE link_votes (
  guest_row_id ${d.integer} NOT NULL REFERENCES link_guests ON DELETE CASCADE,
  track_row_id ${d.integer} NOT NULL REFERENCES tracks ON DELETE CASCADE,
  vote ${d.text} NOT NULL CHECK (vote IN ('approve', 'pass')),
  PRIMARY KEY (guest_row_id, track_row_id)
) ${d.keyedTable};
CREATE INDEX link_votes_by_track ON link_votes (track_row_id);

CREATE TABLE link_comments (
  row_id ${d.rowNumber},
  id ${d.text} NOT NULL UNIQUE,
  link_row_id ${d.integer} NOT NULL REFERENCES collection_links ON DELETE CASCADE,
  track_row_id ${d.integer} NOT NULL REFERENCES tracks ON DELETE CASCADE,
  name ${d.text} NOT NULL,
  text ${d.text} NOT NULL,
  created_at ${d.integer} NOT NULL
) ${d.table};
CREATE INDEX link_comments_by_link ON link_comments (link_row_id, created_at);
CREATE INDEX link_comments_by_track ON link_comments (track_row_id);
`,
};
