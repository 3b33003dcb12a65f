import type { Migration } from '../schema-dialect.ts';
import { FIRST_VERSION } from '../schema-inspection.ts';
import { access } from './first-schema/access.ts';
import { catalog } from './first-schema/catalog.ts';
import { changeLog } from './first-schema/change-log.ts';
import { imports } from './first-schema/imports.ts';
import { licensing } from './first-schema/licensing.ts';
import { lists } from './first-schema/lists.ts';
import { nodes } from './first-schema/nodes.ts';
import { renditions } from './first-schema/renditions.ts';
import { usage } from './first-schema/usage.ts';
import { webhooks } from './first-schema/webhooks.ts';

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
