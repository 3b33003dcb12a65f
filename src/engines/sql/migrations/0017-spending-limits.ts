import type { Migration } from '../schema.ts';

export const spendingLimits: Migration = {
  summary: 'spending limits of clients',
  compatibleFrom: 47,
  common: (d) => `
-- In major units of the currency of the client's rate card for each month (UTC) and mode. NULL: no limit.
ALTER TABLE clients ADD COLUMN spending_limit ${d.integer};
-- What a client has spent in a month.
CREATE INDEX issued_licenses_spent
  ON issued_licenses (client_id, mode, currency, issued_at, amount_minor) WHERE revoked_at IS NULL;
`,
};
