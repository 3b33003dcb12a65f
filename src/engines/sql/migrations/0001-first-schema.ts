import { FIRST_VERSION, type Migration } from '../schema.ts';
import { catalog, changeLog, imports, lists, nodes } from './first-schema/catalog.ts';
import { access, licensing, renditions, usage, webhooks } from './first-schema/clients.ts';

/** The parts in order: PostgreSQL creates a table after those that it refers to. */
const PARTS = [
  access,
  catalog,
  lists,
  changeLog,
  imports,
  licensing,
  usage,
  webhooks,
  renditions,
  nodes,
];

/**
 * The first schema. `row_id` is a short number that identifies a row within the database, and other tables
 * refer to it. `id` is the public UUID, in lower case.
 */
export const firstSchema: Migration = {
  summary: 'the first schema',
  compatibleFrom: FIRST_VERSION,
  common: (dialect) => PARTS.map(({ common }) => common(dialect)).join(''),
  sqlite: PARTS.map(({ sqlite = '' }) => sqlite).join(''),
  postgres: PARTS.map(({ postgres = '' }) => postgres).join(''),
};
