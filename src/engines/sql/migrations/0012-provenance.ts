import type { Migration } from '../schema.ts';

export const provenance: Migration = {
  summary: 'what machines made of tracks, and whether they may learn from them',
  compatibleFrom: 47,
  common: (d) => `
-- none, assisted or generated; null if the supplier does not say it, as in the other columns.
ALTER TABLE tracks ADD COLUMN ai ${d.text};
-- The parts that a machine made, as a JSON array.
ALTER TABLE tracks ADD COLUMN ai_parts ${d.text};
ALTER TABLE tracks ADD COLUMN training_allowed ${d.boolean('training_allowed')};
ALTER TABLE tracks ADD COLUMN provenance_statement ${d.text};
-- Finds pictures of tracks that machines may not learn from.
CREATE INDEX tracks_reserved_artwork ON tracks (artwork_key)
WHERE artwork_key IS NOT NULL AND NOT training_allowed;
`,
};
