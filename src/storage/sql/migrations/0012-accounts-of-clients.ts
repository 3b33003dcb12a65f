import type { Migration } from '../schema-dialect.ts';

/** The account of a client, null for an account of its own; and its rate card, null for the standard one. */
export const accountsOfClients: Migration = {
  summary: 'accounts and rate cards of clients',
  compatibleFrom: 10,
  common: (d) => `
ALTER TABLE clients ADD COLUMN account ${d.text};
ALTER TABLE clients ADD COLUMN rate_card ${d.text};
`,
};
