import type { Migration } from '../schema-dialect.ts';

/**
 * The periods and territories of availability of tracks. Nodes of the version before leave the columns as they are. They
 * may make an unavailable track live, which the index `tracks_misplaced` finds.
 */
export const availability: Migration = {
  compatibleFrom: 10,
  summary: 'periods and territories in which tracks are available',
  common: (d) => `
-- The entries as a JSON array; null if the track is always available everywhere.
ALTER TABLE tracks ADD COLUMN availability ${d.text};
-- The codes of the countries in which the track is available now, with spaces between them; null if everywhere.
ALTER TABLE tracks ADD COLUMN available_in ${d.text};
-- When that may change; null if never.
ALTER TABLE tracks ADD COLUMN next_switch_at ${d.integer};
-- An unavailable track is stored as a withdrawn one with this mark.
ALTER TABLE tracks ADD COLUMN unavailable ${d.boolean('unavailable')} NOT NULL DEFAULT ${d.false};
CREATE INDEX tracks_next_switch ON tracks (next_switch_at) WHERE next_switch_at IS NOT NULL;
CREATE INDEX tracks_misplaced ON tracks (state) WHERE unavailable AND state = 'live';

-- '' if there was none. Null in rows of the version before, which does not know it.
ALTER TABLE former_tracks ADD COLUMN availability ${d.text};
-- The state of the track. Null as above.
ALTER TABLE former_tracks ADD COLUMN state ${d.text};
`,
};
