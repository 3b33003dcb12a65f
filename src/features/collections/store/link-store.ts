import { sql } from 'kysely';
import type {
  Actor,
  By,
  ClientMode,
  RequireVersion,
  WriteContext,
} from '../../../common/caller.ts';
import {
  compiledOnce,
  type Queries,
  type WriteTransaction,
} from '../../../engines/sql/database.ts';
import { openedTexts, sealedText } from '../../../engines/sql/sealed-text.ts';
import { inSlices } from '../../../engines/sql/slices.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';
import { parseStored } from '../../../engines/sql/stored-value.ts';
import type { StoredPassword } from '../../access/password-hashes.ts';
import {
  type CollectionLink,
  endedLink,
  hashOf,
  KEPT_MS,
  type LinkStreams,
  type LinkTerms,
  type LinkUse,
  refuseOneMoreLink,
  type SharedLink,
  unknownLink,
} from '../link.ts';
import { owned } from './collection-queries.ts';

const SEALING_KEY = 'link_token_key';
/** The most links that one transaction ends. */
const SLICE = 500;

const USE = {
  linkId: 'text',
  opens: 'integer',
  plays: 'integer',
  lastOpenedAt: 'integer',
} as const;

/** Selects a live link by the hash of its token: the same statement, whether there is none or it has ended. */
const selectLive = compiledOnce((queries, { hash, now }: { hash: Buffer; now: number }) =>
  queries
    .selectFrom('collectionLinks as link')
    .innerJoin('collections', 'collections.rowId', 'link.collectionRowId')
    .innerJoin('clients', 'clients.rowId', 'collections.clientRowId')
    .select(['link.rowId', 'link.id', 'link.expiresAt', 'password', 'streams', 'comments'])
    .select(['collections.id as collectionId', 'collections.name', 'description', 'mode'])
    .select(['clients.id as clientId', 'clients.name as clientName'])
    .where('tokenHash', '=', hash)
    .where('endsAt', '>', now),
);

const selectStreams = compiledOnce((queries, { id, now }: { id: string; now: number }) =>
  queries
    .selectFrom('collectionLinks')
    .select('streams')
    .where('id', '=', id)
    .where('endsAt', '>', now),
);

/**
 * The links to collections (docs/contract/collections.md#links). Only the owner of a collection sees them: for all others,
 * the collection is `not_found`. Ids are in lower case. What owners do is in the change log.
 */
export class LinkStore extends SqlStore {
  /** Creates a link. Throws `conflict` if the collection has the most. */
  create(
    collectionId: string,
    { token, by, password, ...link }: LinkTerms & { id: string; token: string; by: By },
    context: WriteContext<CollectionLink>,
  ): Promise<CollectionLink> {
    return this.database.write(async (transaction) => {
      const { queries, log } = transaction;
      const { rowId } = await owned(queries, collectionId, context);
      const now = this.clock.now();
      refuseOneMoreLink(await this.#counts(queries, rowId, now));
      await queries
        .insertInto('collectionLinks')
        .values({
          ...link,
          collectionRowId: rowId,
          version: 1,
          tokenHash: hashOf(token),
          sealedToken: await sealedText(queries, SEALING_KEY, token),
          endsAt: link.expiresAt,
          password: password && JSON.stringify(password),
          createdAt: now,
          updatedAt: now,
          byType: by.type,
          byName: by.name,
        })
        .execute();
      await log('link', [['created', link.id]], context);
      return (await foundLink(queries, rowId, link.id, now)).link;
    }, context);
  }

  /** Throws what `create` throws, so that no work is done for a link that cannot be made. */
  async refuseOneMore(collectionId: string, user: ClientMode): Promise<void> {
    await this.database.view(async (queries) => {
      const { rowId } = await owned(queries, collectionId, user);
      refuseOneMoreLink(await this.#counts(queries, rowId, this.clock.now()));
    });
  }

  /** A page of the links, newest first. */
  list(
    collectionId: string,
    user: ClientMode,
    { offset, limit }: { offset: number; limit: number },
  ): Promise<{ links: CollectionLink[]; total: number }> {
    return this.database.view(async (queries) => {
      const { rowId } = await owned(queries, collectionId, user);
      const { kept: total } = await this.#counts(queries, rowId, this.clock.now());
      const rows = await keptLinks(queries, rowId, this.clock.now())
        .orderBy('createdAt', 'desc')
        .orderBy('id', 'desc')
        .offset(offset)
        .limit(limit)
        .execute();
      return { links: await linksOf(queries, rows), total };
    });
  }

  find(collectionId: string, id: string, user: ClientMode): Promise<CollectionLink> {
    return this.database.view(async (queries) => {
      const { rowId } = await owned(queries, collectionId, user);
      return (await foundLink(queries, rowId, id, this.clock.now())).link;
    });
  }

  /** Finds a link of any collection of the client. Throws `not_found`. */
  ofClient(id: string, user: ClientMode): Promise<CollectionLink> {
    return this.database.view(async (queries) => {
      const collection = await queries
        .selectFrom('collectionLinks')
        .innerJoin('collections', 'collections.rowId', 'collectionRowId')
        .select('collections.id')
        .where('collectionLinks.id', '=', id)
        .executeTakeFirst();
      if (collection === undefined) throw unknownLink();
      const { rowId } = await owned(queries, collection.id, user);
      return (await foundLink(queries, rowId, id, this.clock.now())).link;
    });
  }

  /** Changes a link. Throws `conflict` for one that has ended, after the version is compared. */
  update(
    collectionId: string,
    id: string,
    { password, expiresAt, ...change }: Partial<LinkTerms>,
    requireVersion: RequireVersion,
    context: WriteContext<CollectionLink>,
  ): Promise<CollectionLink> {
    return this.database.write(async ({ queries, log }) => {
      const collection = await owned(queries, collectionId, context);
      const now = this.clock.now();
      const { rowId, link } = await foundLink(queries, collection.rowId, id, now);
      requireVersion(link.version);
      if (link.endsAt <= now) throw endedLink();
      await queries
        .updateTable('collectionLinks')
        .set({
          ...change,
          ...(expiresAt !== undefined && { expiresAt, endsAt: expiresAt }),
          ...(password !== undefined && { password: password && JSON.stringify(password) }),
          version: link.version + 1,
          updatedAt: now,
        })
        .where('rowId', '=', rowId)
        .execute();
      await log('link', [['updated', id]], context);
      return (await foundLink(queries, collection.rowId, id, now)).link;
    }, context);
  }

  /** Ends a link. It is kept for KEPT_MS. Throws `not_found` for one that has ended. */
  end(
    collectionId: string,
    id: string,
    requireVersion: RequireVersion,
    context: WriteContext<void>,
  ): Promise<void> {
    return this.database.write(async (transaction) => {
      const { queries } = transaction;
      const collection = await owned(queries, collectionId, context);
      const now = this.clock.now();
      const { rowId, link } = await foundLink(queries, collection.rowId, id, now);
      if (link.endsAt <= now) throw unknownLink();
      requireVersion(link.version);
      await endLinks(transaction, { rowId }, { now, cause: context });
    }, context);
  }

  /** Finds the live link with this token. The time it takes says nothing of links that are not found. */
  async live(token: string): Promise<SharedLink | undefined> {
    const [row] = await selectLive(this.database.queries, {
      hash: hashOf(token),
      now: this.clock.now(),
    });
    if (row === undefined) return undefined;
    const { collectionId, name, description, mode, clientId, clientName, password, ...link } = row;
    return {
      ...link,
      password: password === null ? null : parseStored<StoredPassword>(password),
      collection: { id: collectionId, name, description },
      client: { clientId, name: clientName, mode },
    };
  }

  /** What guests may hear by a link; undefined if it has ended. */
  async streamsOf(id: string): Promise<LinkStreams | undefined> {
    const [row] = await selectStreams(this.database.queries, { id, now: this.clock.now() });
    return row?.streams;
  }

  /** Adds to the counts of links. Those that are gone have none. */
  async add(uses: readonly LinkUse[]): Promise<void> {
    const { dialect } = this.database;
    await this.database.discard((queries) =>
      queries
        .updateTable('collectionLinks')
        .from(
          dialect.rows(
            'used',
            USE,
            uses.map((one) => ({ ...one })),
          ),
        )
        .set({
          opens: sql`collection_links.opens + used.opens`,
          plays: sql`collection_links.plays + used.plays`,
          lastOpenedAt: sql`CASE WHEN used.last_opened_at > coalesce(collection_links.last_opened_at, 0) THEN used.last_opened_at ELSE collection_links.last_opened_at END`,
        })
        .whereRef('collectionLinks.id', '=', 'used.linkId')
        .execute(),
    );
  }

  /** Ends the live ones of these links, and returns their number. */
  async endAll(ids: readonly string[], by: Actor): Promise<number> {
    let ended = 0;
    for (let from = 0; from < ids.length; from += SLICE) {
      const some = ids.slice(from, from + SLICE);
      const how = { now: this.clock.now(), cause: { by, batchId: null } };
      ended += await this.database.write((transaction) =>
        endLinks(transaction, { ids: some }, how),
      );
    }
    return ended;
  }

  /** Deletes links that ended KEPT_MS ago, with what guests wrote. */
  async expire(signal?: AbortSignal): Promise<void> {
    const before = this.clock.now() - KEPT_MS;
    await inSlices(
      this.database,
      async (limit) => {
        const { numDeletedRows } = await this.database.discard((queries) =>
          queries
            .deleteFrom('collectionLinks')
            .where(({ eb, selectFrom }) =>
              eb(
                'rowId',
                'in',
                selectFrom('collectionLinks as old')
                  .select('old.rowId')
                  .where('old.endsAt', '<=', before)
                  .orderBy('old.endsAt')
                  // Each may have a thousand guests with many votes.
                  .limit(Math.ceil(limit / 50)),
              ),
            )
            .executeTakeFirstOrThrow(),
        );
        return Number(numDeletedRows) > 0;
      },
      { signal },
    );
  }

  /** @returns the numbers of live links, and of all that are kept */
  #counts(queries: Queries, collectionRowId: number, now: number) {
    return queries
      .selectFrom('collectionLinks')
      .select(({ fn }) => [
        fn.countAll<number>().as('kept'),
        sql<number>`cast(count(CASE WHEN ends_at > ${now} THEN 1 END) AS bigint)`.as('live'),
      ])
      .where('collectionRowId', '=', collectionRowId)
      .where('endsAt', '>', now - KEPT_MS)
      .executeTakeFirstOrThrow();
  }
}

/** Returns the row id of a link that its owner sees. Throws `not_found`. */
export async function findLink(
  queries: Queries,
  { collectionId, linkId }: { collectionId: string; linkId: string },
  user: ClientMode,
  now: number,
): Promise<number> {
  const { rowId } = await owned(queries, collectionId, user);
  return (await foundLink(queries, rowId, linkId, now)).rowId;
}

async function foundLink(
  queries: Queries,
  collectionRowId: number,
  id: string,
  now: number,
): Promise<{ rowId: number; link: CollectionLink }> {
  const row = await keptLinks(queries, collectionRowId, now)
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) throw unknownLink();
  const [link] = await linksOf(queries, [row]);
  return { rowId: row.rowId, link: link! };
}

/** The links of a collection that have not ended KEPT_MS ago. */
function keptLinks(queries: Queries, collectionRowId: number, now: number) {
  return queries
    .selectFrom('collectionLinks')
    .where('collectionRowId', '=', collectionRowId)
    .where('endsAt', '>', now - KEPT_MS)
    .select(['rowId', 'id', 'version', 'sealedToken', 'label', 'expiresAt', 'endsAt', 'password'])
    .select(['streams', 'comments', 'createdAt', 'updatedAt', 'byType', 'byName'])
    .select(['opens', 'plays', 'lastOpenedAt']);
}

type LinkRow = Awaited<ReturnType<ReturnType<typeof keptLinks>['execute']>>[number];

async function linksOf(queries: Queries, rows: readonly LinkRow[]): Promise<CollectionLink[]> {
  const tokens = await openedTexts(
    queries,
    SEALING_KEY,
    rows.map(({ sealedToken }) => sealedToken),
  );
  return rows.map(({ rowId: _, sealedToken: __, password, byType, byName, ...link }, i) => ({
    ...link,
    token: tokens[i] ?? '',
    hasPassword: password !== null,
    by: { type: byType as By['type'], name: byName },
  }));
}

/** Ends the live ones of some links in a transaction, logs that, and returns their number. */
export async function endLinks(
  { queries, log }: WriteTransaction,
  which:
    | { rowId: number }
    | { ids: readonly string[] }
    | { collectionRowId: number }
    | { clientRowId: number },
  { now, cause }: { now: number; cause: Parameters<WriteTransaction['log']>[2] },
): Promise<number> {
  const ended = await queries
    .updateTable('collectionLinks')
    .set(({ eb }) => ({ endsAt: now, updatedAt: now, version: eb('version', '+', 1) }))
    .where('endsAt', '>', now)
    .where((expression) => {
      const { eb, selectFrom } = expression;
      if ('rowId' in which) return eb('rowId', '=', which.rowId);
      if ('ids' in which) return eb('id', 'in', which.ids);
      if ('collectionRowId' in which) return eb('collectionRowId', '=', which.collectionRowId);
      const own = selectFrom('collections')
        .select('collections.rowId')
        .where('clientRowId', '=', which.clientRowId);
      return eb('collectionRowId', 'in', own);
    })
    .returning('id')
    .execute();
  if (ended.length > 0) {
    await log(
      'link',
      ended.map(({ id }) => ['ended', id] as const),
      cause,
    );
  }
  return ended.length;
}
