import type { SchemaPart } from '../../schema-dialect.ts';

/** The rows of some indexes, in the words of their conditions: only a query with the same words uses them. */
export const TAKEDOWNS = `entity = 'track' AND kind IN ('taken_down', 'withdrawn')`;
export const CREATIONS = `entity = 'track' AND kind = 'created'`;
export const NEW_COLLECTIONS = `entity = 'collection' AND kind = 'created'`;

/** The change log, and how much of it has expired. */
export const changeLog: SchemaPart = {
  common: (d) => `
CREATE TABLE change_log (
  -- Never reused, even after the newest rows were deleted.
  seq ${d.logNumber},
  at ${d.integer} NOT NULL,
  entity ${d.text} NOT NULL,
  kind ${d.text} NOT NULL,
  entity_id ${d.text} NOT NULL,
  by ${d.text} NOT NULL,
  batch_id ${d.text},
  -- The client that caused the change, and the mode in which it did; null if none did.
  client_id ${d.text},
  mode ${d.text},
  -- What of the entity changed: a JSON array.
  changed ${d.text},
  -- Why the operator made the change, and what the reason refers to, such as the number of a letter.
  reason ${d.text},
  reference ${d.text}
) ${d.table};
CREATE INDEX change_log_by_entity ON change_log (entity, seq);
-- Finds the first change at or after a time, which never decreases along the log.
CREATE INDEX change_log_by_time ON change_log (at);
-- Finds when a track was taken down, which is shown to the partners that refer to it.
CREATE INDEX change_log_of_takedowns ON change_log (entity_id, seq) WHERE ${TAKEDOWNS};

-- One row: the greatest seq of a track that has expired, and its time; 0 before the first.
CREATE TABLE change_log_floor (seq ${d.integer} NOT NULL, at ${d.integer} NOT NULL) ${d.table};
INSERT INTO change_log_floor VALUES (0, 0);
`,
  // The first index finds the last track that was created up to a change, however many tracks were edited since. The
  // second one finds where the chains of collections begin. SQLite prefers an index of more columns, and PostgreSQL the
  // smallest one.
  sqlite: `
CREATE INDEX change_log_of_creations ON change_log (kind, seq) WHERE ${CREATIONS};
CREATE INDEX change_log_of_new_collections ON change_log (kind, entity_id, seq) WHERE ${NEW_COLLECTIONS};
`,
  postgres: `
CREATE INDEX change_log_of_creations ON change_log (seq) WHERE ${CREATIONS};
CREATE INDEX change_log_of_new_collections ON change_log (entity_id, seq) WHERE ${NEW_COLLECTIONS};

-- One row: the last assigned seq. Unlike a sequence, it is rolled back with its transaction, so the log has
-- no gaps.
CREATE TABLE change_log_head (seq bigint NOT NULL, artist_removals bigint NOT NULL DEFAULT 0);
INSERT INTO change_log_head VALUES (0);
`,
};
