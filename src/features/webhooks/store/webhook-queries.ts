import type { Feature } from '../../../common/caller/scopes.ts';
import type { Queries } from '../../../engines/sql/database.ts';
import { parseStored } from '../../../engines/sql/stored-value.ts';
import {
  type EventType,
  unknownWebhook,
  type Webhook,
  type WebhookOwner,
  type WebhookRecord,
} from '../webhook.ts';
import type { MessageUser } from '../webhook-store.ts';

/** An endpoint with what only its queries need. */
export interface FoundWebhook {
  rowId: number;
  webhook: WebhookRecord;
  /** Those of the client. */
  features: Feature[];
  /** Whether the client is enabled and has the feature. */
  isClientActive: boolean;
}

function webhooks(queries: Queries) {
  return queries
    .selectFrom('webhooks')
    .innerJoin('clients', 'clients.rowId', 'webhooks.clientRowId')
    .select(['webhooks.rowId', 'webhooks.id', 'mode', 'url', 'eventTypes', 'description'])
    .select(['referencedOnly', 'webhooks.enabled', 'disabledReason', 'version'])
    .select(['webhooks.createdAt', 'updatedAt', 'clients.id as clientId'])
    .select(['clients.features', 'clients.enabled as isClientEnabled'])
    .orderBy('webhooks.createdAt', 'desc')
    .orderBy('webhooks.id', 'desc');
}

type Row = Awaited<ReturnType<ReturnType<typeof webhooks>['execute']>>[number];

function foundOf({
  rowId,
  eventTypes,
  features: stored,
  isClientEnabled,
  ...rest
}: Row): FoundWebhook {
  const features = parseStored<Feature[]>(stored);
  return {
    rowId,
    webhook: { ...rest, eventTypes: parseStored<EventType[]>(eventTypes) },
    features,
    isClientActive: isClientEnabled && features.includes('webhooks'),
  };
}

/** Finds the endpoint of a user. Throws `not_found`. */
export async function webhookOf(
  queries: Queries,
  id: string,
  user: MessageUser,
): Promise<FoundWebhook> {
  const row = await webhooks(queries).where('webhooks.id', '=', id).executeTakeFirst();
  const isOf = user === 'operator' || (row?.clientId === user.clientId && row.mode === user.mode);
  if (row === undefined || !isOf) throw unknownWebhook();
  return foundOf(row);
}

/** Returns the endpoints of one client or of all, newest first. */
export async function webhooksBy(
  queries: Queries,
  { clientId, mode }: Partial<WebhookOwner>,
): Promise<WebhookRecord[]> {
  let select = webhooks(queries);
  if (clientId !== undefined) select = select.where('clients.id', '=', clientId);
  if (mode !== undefined) select = select.where('mode', '=', mode);
  const rows = await select.execute();
  return rows.map((row) => foundOf(row).webhook);
}

/** Returns an endpoint as its client sees it. */
export function ownWebhook({ clientId: _, mode: __, ...webhook }: WebhookRecord): Webhook {
  return webhook;
}
