import type { Migration } from '../schema.ts';

/** @param now the time in milliseconds since the epoch */
function firstOperator(now: string): string {
  // The setting stays for programs of the previous version, until the password is replaced.
  return `
INSERT INTO operators (name, role, enabled, password, sessions_id, created_at)
SELECT 'console', 'owner', TRUE, value, 'first', ${now} FROM settings WHERE name = 'console_password';
`;
}

export const operators: Migration = {
  summary: 'operators of the console, the first with its password',
  compatibleFrom: 47,
  common: (d) => `
CREATE TABLE operators (
  name ${d.text} NOT NULL PRIMARY KEY,
  role ${d.text} NOT NULL CHECK (role IN ('viewer', 'operator', 'owner')),
  enabled ${d.boolean('enabled')} NOT NULL,
  -- The hash with its cost as JSON; null until the operator has set one.
  password ${d.text},
  -- Another value ends all sessions.
  sessions_id ${d.text} NOT NULL,
  -- The SHA-256 of the token of the link to set a password.
  link_hash ${d.text},
  link_expires_at ${d.integer},
  created_at ${d.integer} NOT NULL,
  last_login_at ${d.integer}
) ${d.table};
CREATE UNIQUE INDEX operators_by_link ON operators (link_hash) WHERE link_hash IS NOT NULL;
`,
  sqlite: firstOperator("CAST(unixepoch('now', 'subsec') * 1000 AS INTEGER)"),
  postgres: firstOperator('floor(extract(epoch FROM now()) * 1000)'),
};
