import type { Migration } from '../schema.ts';

export const history: Migration = {
  summary: 'the history of one track or client, and imports that have expired',
  compatibleFrom: 42,
  common: (d) => `
-- The end of a UUID is random in each of its versions; its beginning may be a time.
CREATE INDEX change_log_by_entity_id ON change_log (substr(entity_id, 29), seq);

-- Whether what the batch replaced has been deleted, so that it can no longer be undone.
ALTER TABLE import_batches ADD COLUMN expired ${d.boolean('expired')} NOT NULL DEFAULT ${d.false};
CREATE INDEX import_batches_to_expire ON import_batches (at) WHERE NOT expired;
`,
};
