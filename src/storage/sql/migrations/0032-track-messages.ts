import type { Migration } from '../schema-dialect.ts';

/** The messages that decided about tracks. A program of the version before does not record them. */
export const trackMessages: Migration = {
  summary: 'the messages of suppliers that decided about tracks',
  compatibleFrom: 10,
  common: (d) => `
CREATE TABLE track_messages (
  -- Not a reference, because a takedown of a track that was never imported is recorded, too.
  track_id ${d.text} NOT NULL,
  -- A derived id; '' if the message names no release.
  release ${d.text} NOT NULL,
  sent_at ${d.integer} NOT NULL,
  PRIMARY KEY (track_id, release)
) ${d.keyedTable};
CREATE INDEX track_messages_by_release ON track_messages (release, track_id);
`,
};
