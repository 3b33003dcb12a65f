import type { Migration } from '../schema.ts';

export const webhookAuthorization: Migration = {
  summary: 'the Authorization header of webhooks',
  compatibleFrom: 42,
  common: ({ bytes }) => `ALTER TABLE webhooks ADD COLUMN sealed_authorization ${bytes};`,
};
