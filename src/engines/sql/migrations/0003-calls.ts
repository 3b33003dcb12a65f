import type { Migration } from '../schema.ts';

export const calls: Migration = {
  summary: 'how the requests of clients ended, and from where secrets were used',
  compatibleFrom: 42,
  common: (d) => `
-- How the requests of a client ended, by day. The tables have no references, because those would lock the rows of the
-- client in each write.
CREATE TABLE client_days (
  client_id ${d.text} NOT NULL,
  -- Empty if the request did not prove to have a secret.
  secret_id ${d.text} NOT NULL,
  -- The start of the day in UTC.
  at ${d.integer} NOT NULL,
  -- ok, aborted or the type of the error
  outcome ${d.text} NOT NULL,
  -- The upper bound of the time of the response in milliseconds; 0 for other outcomes than ok.
  under_ms ${d.integer} NOT NULL,
  requests ${d.integer} NOT NULL,
  PRIMARY KEY (client_id, secret_id, at, outcome, under_ms)
) ${d.keyedTable};
CREATE INDEX client_days_by_time ON client_days (at);

-- The latest errors of each client.
CREATE TABLE failed_requests (
  client_id ${d.text} NOT NULL,
  at ${d.integer} NOT NULL,
  -- The caller may have chosen it.
  request_id ${d.text} NOT NULL,
  secret_id ${d.text} NOT NULL,
  operation_id ${d.text} NOT NULL,
  -- Null if the connection ended before the response was complete.
  status ${d.integer},
  error ${d.text} NOT NULL,
  problem ${d.text} NOT NULL,
  caller ${d.text} NOT NULL,
  PRIMARY KEY (client_id, at, request_id)
) ${d.keyedTable};
CREATE INDEX failed_requests_by_time ON failed_requests (at);
CREATE INDEX failed_requests_by_id ON failed_requests (request_id);

-- From where the secrets of clients, and tokens of them, were used.
CREATE TABLE secret_addresses (
  client_id ${d.text} NOT NULL,
  secret_id ${d.text} NOT NULL,
  address ${d.text} NOT NULL,
  requests ${d.integer} NOT NULL,
  first_at ${d.integer} NOT NULL,
  last_at ${d.integer} NOT NULL,
  PRIMARY KEY (client_id, secret_id, address)
) ${d.keyedTable};
CREATE INDEX secret_addresses_by_time ON secret_addresses (last_at);
`,
};
