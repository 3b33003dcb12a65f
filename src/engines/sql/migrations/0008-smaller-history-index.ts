import type { Migration } from '../schema.ts';
import { CREATIONS } from './first-schema/catalog.ts';

export const smallerHistoryIndex: Migration = {
  summary: 'a smaller index of the history of tracks',
  compatibleFrom: 47,
  common: () => `
-- Imports make most changes. Each new track would change a random page of the index.
DROP INDEX change_log_by_entity_id;
CREATE INDEX change_log_by_entity_id ON change_log (substr(entity_id, 29), seq) WHERE NOT (${CREATIONS});
`,
};
