import type { Migration } from '../schema-dialect.ts';

/** The keys that sign certificates of licenses. Rows are never deleted: certificates stay valid. */
export const licenseKeys: Migration = {
  summary: 'keys that sign certificates',
  compatibleFrom: 10,
  common: (d) => `
CREATE TABLE license_keys (
  row_id ${d.rowNumber},
  -- The thumbprint of the public key (RFC 7638).
  kid ${d.text} NOT NULL UNIQUE,
  mode ${d.text} NOT NULL CHECK (mode IN ('test', 'live')),
  public ${d.bytes} NOT NULL,
  secret ${d.bytes} NOT NULL,
  created_at ${d.integer} NOT NULL,
  retired_at ${d.integer}
) ${d.table};
`,
};
