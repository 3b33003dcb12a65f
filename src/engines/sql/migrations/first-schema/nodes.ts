import type { SchemaPart } from '../../schema-dialect.ts';

/** Settings of the store, and the nodes that use it. */
export const nodes: SchemaPart = {
  common: (d) => `
CREATE TABLE settings (
  name ${d.text} PRIMARY KEY,
  value ${d.text} NOT NULL
) ${d.keyedTable};

-- The holder of each task that only one node may do, and the time at which its lease expires.
CREATE TABLE leases (
  name ${d.text} PRIMARY KEY,
  holder ${d.text} NOT NULL,
  expires_at ${d.integer} NOT NULL
) ${d.keyedTable};

CREATE TABLE nodes (
  node ${d.text} NOT NULL PRIMARY KEY,
  host ${d.text} NOT NULL,
  pid ${d.integer} NOT NULL,
  version ${d.text} NOT NULL,
  data_folder ${d.text} NOT NULL,
  -- By the clock of the database.
  seen_at ${d.integer} NOT NULL,
  -- The same moment by the clock of the node.
  clock_at ${d.integer} NOT NULL
) ${d.keyedTable};
`,
};
