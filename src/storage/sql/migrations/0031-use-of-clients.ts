import type { Migration } from '../schema-dialect.ts';

/** How much clients use the service, and which nodes run. A node of the version before writes neither. */
export const useOfClients: Migration = {
  summary: 'requests of clients, and the nodes that run',
  compatibleFrom: 10,
  common: (d) => `
CREATE TABLE client_requests (
  -- Not references, because those would lock the rows of the client in each write.
  client_id ${d.text} NOT NULL,
  secret_id ${d.text} NOT NULL,
  -- The start of the step.
  at ${d.integer} NOT NULL,
  -- Includes those that were limited.
  requests ${d.integer} NOT NULL,
  limited ${d.integer} NOT NULL,
  -- The last request with a token of the secret, or for such a token.
  used_at ${d.integer} NOT NULL,
  PRIMARY KEY (client_id, secret_id, at)
) ${d.keyedTable};
CREATE INDEX client_requests_by_time ON client_requests (at);
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
