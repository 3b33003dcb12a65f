import { integer, table, text } from './table-declaration.ts';

/** The tables of who uses the service and hears which track, and which nodes run. */
export const ACTIVITY_TABLES = {
  clientRequests: table(3, {
    clientId: text,
    secretId: text,
    at: integer,
    requests: integer,
    limited: integer,
    usedAt: integer,
  }),
  mediaRequests: table(5, {
    at: integer,
    trackId: text,
    clientId: text,
    mode: text,
    kind: text,
    requests: integer,
    firstAt: integer,
    lastAt: integer,
  }),
  nodes: table(
    1,
    {
      node: text,
      host: text,
      pid: integer,
      version: text,
      dataFolder: text,
      seenAt: integer,
      clockAt: integer,
    },
    { isLocal: true },
  ),
} as const;
