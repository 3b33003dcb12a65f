import type { Migration } from '../schema.ts';

export const sourceProvenance: Migration = {
  summary: 'the provenance of tracks of which their supplier says nothing',
  compatibleFrom: 47,
  common: (d) => `
-- What counts for tracks of a source that say nothing.
CREATE TABLE source_provenance (
  source ${d.text} NOT NULL PRIMARY KEY,
  ai ${d.text} CHECK (ai IN ('none', 'assisted', 'generated')),
  training_allowed ${d.boolean('training_allowed')},
  -- Identifies the last change until the change log has an update of each track that it concerns.
  changing ${d.text}
) ${d.table};
-- Finds pictures of tracks to which the default of their source applies.
CREATE INDEX tracks_silent_artwork ON tracks (artwork_key, source)
WHERE artwork_key IS NOT NULL AND training_allowed IS NULL;
`,
};
