import { type SqlBool, sql } from 'kysely';
import type { Feature } from '../../../common/caller/scopes.ts';
import { compiledOnce } from '../../../engines/sql/compiled-query.ts';
import { EVENT_TYPES, FEATURES_OF } from '../webhook.ts';
import { IS_PENDING } from './webhook-chains.ts';

/** Whether a feature is one of those in the column `features`, which is a JSON array. */
const hasFeature = (feature: Feature) =>
  sql<SqlBool>`features LIKE ${sql.lit(`%${JSON.stringify(feature)}%`)}`;

/** The types that need another feature than `webhooks`, by that feature. */
const TYPES_BY_FEATURE = Map.groupBy(
  EVENT_TYPES.filter((type) => FEATURES_OF[type] !== undefined),
  (type) => FEATURES_OF[type]!,
);

/** Takes messages that nobody is sending, unless they are not to be sent, or the endpoint was disabled. */
export const claimDue = compiledOnce(
  (queries, values: { webhookRowId: number; now: number; claimedUntil: number; limit: number }) =>
    queries
      .updateTable('webhookDeliveries')
      .set({ claimedUntil: values.claimedUntil })
      .where('rowId', 'in', ({ selectFrom }) =>
        selectFrom('webhookDeliveries')
          .innerJoin('webhooks', 'webhooks.rowId', 'webhookRowId')
          .innerJoin('clients', 'clients.rowId', 'webhooks.clientRowId')
          .select('webhookDeliveries.rowId')
          .where('webhookRowId', '=', values.webhookRowId)
          .where('webhooks.enabled', '=', true)
          .where('clients.enabled', '=', true)
          .where(hasFeature('webhooks'))
          // Pings and simulated messages report no change, and are sent in any case.
          .where(({ or, and, eb }) =>
            and(
              [...TYPES_BY_FEATURE].map(([feature, types]) =>
                or([eb('count', '=', 0), eb('type', 'not in', types), hasFeature(feature)]),
              ),
            ),
          )
          .where(IS_PENDING)
          .where('nextAt', '<=', values.now)
          .where(({ or, eb }) =>
            or([
              eb('claimedUntil', 'is', null),
              eb('claimedUntil', '<=', values.now),
              // The clock that this was read from has been set back, or is that of another node.
              eb('claimedUntil', '>', values.claimedUntil),
            ]),
          )
          .orderBy('nextAt')
          .orderBy('webhookDeliveries.rowId')
          .limit(values.limit),
      )
      .returning(['rowId', 'id', 'body', 'scheduleAttempts', 'nextAt']),
);

/** The endpoints that are enabled and have messages to send. */
export const selectEndpoints = compiledOnce((queries, { now }: { now: number }) =>
  queries
    .selectFrom('webhooks')
    .innerJoin('clients', 'clients.rowId', 'webhooks.clientRowId')
    .select(['webhooks.rowId', 'url', 'mode', 'features', 'lastSuccessAt', 'lastFailureAt'])
    .where('webhooks.enabled', '=', true)
    .where('clients.enabled', '=', true)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('webhookDeliveries')
          .select('webhookDeliveries.rowId')
          .whereRef('webhookRowId', '=', 'webhooks.rowId')
          .where(IS_PENDING)
          .where('nextAt', '<=', now),
      ),
    )
    .orderBy('webhooks.rowId'),
);
