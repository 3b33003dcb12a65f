/**
 * What ranges and keys are searched by, out of the documents; and how far the numbers of removed
 * tracks went, so that none is given again.
 */
export const ranges = `
ALTER TABLE tracks ADD COLUMN bpm REAL NOT NULL DEFAULT 0;
-- A JSON array.
ALTER TABLE tracks ADD COLUMN song_keys TEXT NOT NULL DEFAULT '[]';
UPDATE tracks SET bpm = CAST(document ->> 'bpm' AS REAL), song_keys = document -> 'songKey'
WHERE document ->> 'bpm' <> '' OR document -> 'songKey' <> '[]';

-- One row: the greatest number of a track that was removed.
CREATE TABLE removed_numbers (greatest INTEGER NOT NULL) STRICT;
INSERT INTO removed_numbers VALUES (0);
`;
