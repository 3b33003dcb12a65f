import type { Selectable } from 'kysely';
import type {
  Actor,
  ClientMode,
  Feature,
  RequireVersion,
  WriteContext,
} from '../../../common/caller.ts';
import { StaveError } from '../../../common/errors.ts';
import type { Queries, WriteTransaction } from '../../../engines/sql/database.ts';
import type { Cause } from '../../../engines/sql/logged-change.ts';
import { sealedText } from '../../../engines/sql/sealed-text.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';
import { parseStored } from '../../../engines/sql/stored-value.ts';
import type { Tables } from '../../../engines/sql/tables/tables.ts';
import { clientNumber, ownerOfOneMore } from '../../access/store/client-store.ts';
import {
  type DisabledReason,
  EVENT_TYPES,
  type EventType,
  type GivenAuthorization,
  hasFailedLast,
  MAX_SECRETS,
  MAX_WEBHOOKS,
  maskedUrl,
  refuseEnabling,
  refuseMove,
  SECRET_OVERLAP_MS,
  unknownWebhook,
  type Webhook,
  type WebhookChange,
  type WebhookRecord,
} from '../webhook.ts';
import { beginChains, discardPending, endChains, loggedPosition } from './webhook-chains.ts';
import { discardStray } from './webhook-discards.ts';

export type NewWebhook = Pick<
  Webhook,
  'id' | 'url' | 'eventTypes' | 'description' | 'referencedOnly'
> &
  GivenAuthorization & {
    /** 32 random bytes, with which its messages are signed. */
    secret: Buffer;
  };

/** `operator` may use the endpoints of all clients. */
export type MessageUser = ClientMode | 'operator';
type ChangeCause = Cause | Omit<WriteContext, 'finish'>;

/**
 * The endpoints of clients. An endpoint of another client or mode is `not_found`. Ids are in lower case. Every change is
 * in the change log, except a rotation of the secret. An endpoint that is enabled again gets only changes from then on.
 */
export class WebhookStore extends SqlStore {
  /** Creates an endpoint that is enabled. Throws `conflict` if the client has MAX_WEBHOOKS in the mode. */
  create(webhook: NewWebhook, context: WriteContext<Webhook>): Promise<Webhook> {
    return this.database.write(async (transaction) => {
      const { queries } = transaction;
      const { secret, authorization, ...given } = webhook;
      const eventTypes = inOrder(given.eventTypes);
      const now = this.clock.now();
      const { rowId } = await queries
        .insertInto('webhooks')
        .values({
          ...given,
          ...(await sealedColumn(queries, authorization)),
          eventTypes: JSON.stringify(eventTypes),
          clientRowId: await ownerOfOneMore(queries, context, 'webhooks', MAX_WEBHOOKS),
          mode: context.mode,
          enabled: true,
          disabledReason: null,
          enabledAt: now,
          lastSuccessAt: null,
          version: 1,
          createdAt: now,
          updatedAt: now,
          position: 0,
        })
        .returning('rowId')
        .executeTakeFirstOrThrow();
      await queries
        .insertInto('webhookSecrets')
        .values({ webhookRowId: rowId, secret, validUntil: null })
        .execute();
      await transaction.log('webhook', [['created', given.id]], context);
      const startSeq = await loggedPosition(queries);
      await beginChains(queries, rowId, eventTypes, { startSeq, seq: 0 });
      return ownWebhook((await webhookOf(queries, given.id, context)).webhook);
    }, context);
  }

  /** A page of the endpoints of a client and a mode, newest first. */
  async list(
    owner: ClientMode,
    { offset, limit }: { offset: number; limit: number },
  ): Promise<{ webhooks: Webhook[]; total: number }> {
    const all = await webhooksBy(this.database.queries, owner);
    return { webhooks: all.slice(offset, offset + limit).map(ownWebhook), total: all.length };
  }

  async find(id: string, owner: ClientMode): Promise<Webhook> {
    return ownWebhook((await webhookOf(this.database.queries, id, owner)).webhook);
  }

  /**
   * Changes the given members. Discards the pending messages of an endpoint that it disables. Throws `conflict` if the
   * partner enables an endpoint that the operator disabled.
   */
  async update(
    id: string,
    change: WebhookChange,
    requireVersion: RequireVersion,
    context: WriteContext<Webhook>,
  ): Promise<Webhook> {
    const { rowId } = await webhookOf(this.database.queries, id, context);
    const update = () =>
      this.database.write(async (transaction) => {
        const found = await webhookOf(transaction.queries, id, context);
        requireVersion(found.webhook.version);
        refuseEnabling(found.webhook, change);
        refuseMove(found.webhook, change);
        return ownWebhook(await this.#change(transaction, found, change, null, context));
      }, context);
    return change.enabled === undefined ? update() : this.#toggle(rowId, update);
  }

  /** Deletes an endpoint, its messages and its secrets. */
  delete(id: string, requireVersion: RequireVersion, context: WriteContext<void>): Promise<void> {
    return this.database.write(async (transaction) => {
      const { rowId, webhook } = await webhookOf(transaction.queries, id, context);
      requireVersion(webhook.version);
      await transaction.queries.deleteFrom('webhooks').where('rowId', '=', rowId).execute();
      await transaction.log('webhook', [['deleted', id]], context);
    }, context);
  }

  /**
   * Replaces the secret. The previous one stays valid for SECRET_OVERLAP_MS, unless `revokePrevious` ends all earlier
   * ones. `previousValidUntil` is in milliseconds since the epoch. Throws `conflict` if more than MAX_SECRETS would be
   * valid.
   */
  rotateSecret(
    id: string,
    { secret, revokePrevious }: { secret: Buffer; revokePrevious: boolean },
    context: WriteContext<{ previousValidUntil: number | null }>,
  ): Promise<{ previousValidUntil: number | null }> {
    return this.database.write(async ({ queries }) => {
      const { rowId: webhookRowId } = await webhookOf(queries, id, context);
      const now = this.clock.now();
      const known = await queries
        .selectFrom('webhookSecrets')
        .select(['rowId', 'validUntil'])
        .where('webhookRowId', '=', webhookRowId)
        .execute();
      const ended = known.filter(
        ({ validUntil }) => revokePrevious || (validUntil !== null && validUntil <= now),
      );
      if (known.length - ended.length >= MAX_SECRETS) throw tooManySecrets();
      const { isOneOf } = this.database.dialect;
      const endedIds = ended.map(({ rowId }) => rowId);
      await queries
        .deleteFrom('webhookSecrets')
        .where(({ ref }) => isOneOf(ref('rowId'), endedIds))
        .execute();
      const validUntil = now + SECRET_OVERLAP_MS;
      await queries
        .updateTable('webhookSecrets')
        .set({ validUntil })
        .where('webhookRowId', '=', webhookRowId)
        .where('validUntil', 'is', null)
        .execute();
      await queries
        .insertInto('webhookSecrets')
        .values({ webhookRowId, secret, validUntil: null })
        .execute();
      return { previousValidUntil: revokePrevious ? null : validUntil };
    }, context);
  }

  /**
   * The endpoints of all clients, or of one, in both modes, newest first, for the operator: their URLs are masked. Throws
   * `not_found` for an unknown client.
   */
  records(clientId?: string): Promise<WebhookRecord[]> {
    return this.database.view(async (queries) => {
      if (clientId !== undefined) await clientNumber(queries, clientId);
      return (await webhooksBy(queries, { clientId })).map(masked);
    });
  }

  /** An endpoint for the operator: its URL is masked. */
  async record(id: string): Promise<WebhookRecord> {
    return masked((await webhookOf(this.database.queries, id, 'operator')).webhook);
  }

  /** Enables or disables an endpoint for the operator. Returns whether that was a change. */
  async setEnabled(id: string, enabled: boolean, by: Actor): Promise<boolean> {
    const { rowId } = await webhookOf(this.database.queries, id, 'operator');
    return this.#toggle(rowId, () =>
      this.database.write(async (transaction) => {
        const found = await webhookOf(transaction.queries, id, 'operator');
        const { webhook } = found;
        const reason = enabled ? null : 'operator';
        if (webhook.enabled === enabled && webhook.disabledReason === reason) return false;
        await this.#change(transaction, found, { enabled }, reason, { by, batchId: null });
        return true;
      }),
    );
  }

  /**
   * Enables or disables an endpoint. Discards the messages that must not be sent in short transactions: before it is
   * enabled, because they would be sent then, and after it is disabled. If that is interrupted, the periodic discard of
   * stray messages completes it.
   */
  async #toggle<Result>(rowId: number, write: () => Promise<Result>): Promise<Result> {
    await discardStray(this.database, this.clock, { only: [rowId] });
    const result = await write();
    await discardStray(this.database, this.clock, { only: [rowId] });
    return result;
  }

  /** Changes an endpoint, raises its version and logs that. `reason` says why the change disables it. */
  async #change(
    transaction: WriteTransaction,
    { rowId, webhook: before }: FoundWebhook,
    change: WebhookChange,
    reason: DisabledReason | null,
    cause: ChangeCause,
  ): Promise<WebhookRecord> {
    const { queries } = transaction;
    const now = this.clock.now();
    const { eventTypes = before.eventTypes, authorization, ...others } = change;
    const enabled = change.enabled ?? before.enabled;
    const isToggled = enabled !== before.enabled;
    const columns: Partial<Selectable<Tables['webhooks']>> = {
      ...others,
      ...(await sealedColumn(queries, authorization)),
      eventTypes: JSON.stringify(inOrder(eventTypes)),
      // If the partner disables a disabled endpoint, it keeps its reason.
      disabledReason: enabled ? null : (reason ?? before.disabledReason),
      version: before.version + 1,
      updatedAt: now,
      ...(isToggled && enabled && { enabledAt: now }),
    };
    await queries.updateTable('webhooks').set(columns).where('rowId', '=', rowId).execute();
    await transaction.log('webhook', [['updated', before.id]], cause);
    if (isToggled && enabled) {
      await discardPending(queries, this.database.dialect, { webhookRowIds: [rowId], now });
    }
    const kept = isToggled ? [] : before.eventTypes;
    const position = await loggedPosition(queries);
    await endChains(
      queries,
      rowId,
      before.eventTypes.filter((type) => !eventTypes.includes(type)),
    );
    await beginChains(
      queries,
      rowId,
      eventTypes.filter((type) => !kept.includes(type)),
      { startSeq: position, seq: position },
    );
    return (await webhookOf(queries, before.id, 'operator')).webhook;
  }
}

/** Returns the column of a given header; none if it is not given. */
async function sealedColumn(queries: Queries, authorization: string | undefined) {
  if (authorization === undefined) return {};
  const sealed =
    authorization && (await sealedText(queries, 'webhook_authorization_key', authorization));
  return { sealedAuthorization: sealed || null };
}

function masked(record: WebhookRecord): WebhookRecord {
  return { ...record, url: maskedUrl(record.url) };
}

function inOrder(types: Webhook['eventTypes']): Webhook['eventTypes'] {
  return EVENT_TYPES.filter((type) => types.includes(type));
}

function tooManySecrets(): StaveError {
  return new StaveError(
    'conflict',
    'Three earlier secrets are still valid; wait until one expires, or send revokePrevious to end them all.',
  );
}

export interface FoundWebhook {
  rowId: number;
  webhook: WebhookRecord;
  /** The features of the client. */
  features: Feature[];
  /** Whether the client is enabled and has the feature `webhooks`. */
  isClientActive: boolean;
}

function webhooks(queries: Queries) {
  return queries
    .selectFrom('webhooks')
    .innerJoin('clients', 'clients.rowId', 'webhooks.clientRowId')
    .select(['webhooks.rowId', 'webhooks.id', 'mode', 'url', 'eventTypes', 'description'])
    .select(['referencedOnly', 'webhooks.enabled', 'disabledReason', 'version'])
    .select(['lastSuccessAt', 'lastFailureAt'])
    .select(['sealedAuthorization', 'webhooks.createdAt', 'updatedAt', 'clients.id as clientId'])
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
  lastSuccessAt,
  lastFailureAt,
  sealedAuthorization,
  ...rest
}: Row): FoundWebhook {
  const features = parseStored<Feature[]>(stored);
  const isFailing = rest.enabled
    ? hasFailedLast({ lastSuccessAt, lastFailureAt })
    : rest.disabledReason === 'failing';
  return {
    rowId,
    webhook: {
      ...rest,
      eventTypes: parseStored<EventType[]>(eventTypes),
      hasAuthorization: sealedAuthorization !== null,
      isFailing,
    },
    features,
    isClientActive: isClientEnabled && features.includes('webhooks'),
  };
}

/** Throws `not_found`. */
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

/** Newest first. */
async function webhooksBy(
  queries: Queries,
  { clientId, mode }: Partial<ClientMode>,
): Promise<WebhookRecord[]> {
  let select = webhooks(queries);
  if (clientId !== undefined) select = select.where('clients.id', '=', clientId);
  if (mode !== undefined) select = select.where('mode', '=', mode);
  const rows = await select.execute();
  return rows.map((row) => foundOf(row).webhook);
}

function ownWebhook({ clientId: _, mode: __, isFailing: ___, ...webhook }: WebhookRecord): Webhook {
  return webhook;
}
