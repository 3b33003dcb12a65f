import type { Migration } from '../schema.ts';

export const requestLines: Migration = {
  summary: 'the paths of failed requests, and the errors by address',
  compatibleFrom: 47,
  common: ({ text, integer }) => `
ALTER TABLE failed_requests ADD COLUMN method ${text} NOT NULL DEFAULT '';
ALTER TABLE failed_requests ADD COLUMN path ${text} NOT NULL DEFAULT '';
ALTER TABLE secret_addresses ADD COLUMN errors ${integer} NOT NULL DEFAULT 0;
`,
};
