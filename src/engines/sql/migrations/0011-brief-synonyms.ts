import type { Migration } from '../schema.ts';

export const briefSynonyms: Migration = {
  summary: 'synonyms of the operator for briefs',
  compatibleFrom: 47,
  common: ({ text, table }) => `
CREATE TABLE brief_synonyms (
  -- In search form, perhaps with a star at the end.
  term ${text} NOT NULL PRIMARY KEY,
  -- Names of filters and tags, as a JSON array.
  names ${text} NOT NULL
) ${table};
`,
};
