import type { Migration } from '../schema-dialect.ts';

/**
 * A random number for each claim of a key, so that a node recognizes its own. The time until which a key is claimed is
 * not enough, because two claims may have the same one.
 */
export const claimsOfKeys: Migration = {
  summary: 'a number for each claim of a repeated request',
  compatibleFrom: 10,
  common: (d) =>
    `ALTER TABLE idempotency_keys ADD COLUMN claim_id ${d.integer} NOT NULL DEFAULT 0;`,
};
