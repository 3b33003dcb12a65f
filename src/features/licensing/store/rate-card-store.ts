import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Actor } from '../../../common/caller.ts';
import { compiledOnce, type Queries } from '../../../engines/sql/database.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';
import { STANDARD_RATE_CARD } from '../../access/client.ts';
import {
  type PublishedRateCard,
  type RateCard,
  type RateCardRecord,
  unknownRateCard,
} from '../rate-card.ts';
import { readStoredCard } from '../rate-card-file.ts';

/** Selects the version in force of the card of a client. */
export const selectOfClient = compiledOnce((queries, { clientId }: { clientId: string }) =>
  queries
    .selectFrom('clients')
    .innerJoin('rateCards', (join) =>
      join.on(
        sql<boolean>`${sql.ref('rateCards.name')} = coalesce(${sql.ref('clients.rateCard')}, ${sql.lit(STANDARD_RATE_CARD)})`,
      ),
    )
    .select(['rateCards.rowId', 'rateCards.version'])
    .where('clients.id', '=', clientId)
    .where('rateCards.withdrawnAt', 'is', null)
    .orderBy('rateCards.version', 'desc')
    .limit(1),
);

const selectDocument = compiledOnce((queries, { rowId }: { rowId: number }) =>
  queries.selectFrom('rateCards').select('document').where('rowId', '=', rowId),
);

/** A document has up to a mebibyte. */
const MAX_CACHED_CARDS = 50;

/** The rate cards. Each change is logged. */
export class RateCardStore extends SqlStore {
  /** Cards by row id. A row is never edited, except that it is withdrawn. */
  readonly #cards = new LRUCache<number, RateCard>({ max: MAX_CACHED_CARDS });

  /** Publishes a new version, whose document was checked. Returns its number. */
  publish({ name, document }: { name: string; document: string }, by: Actor): Promise<number> {
    return this.database.write(async ({ queries, log }) => {
      const newest = await queries
        .selectFrom('rateCards')
        .select(({ fn }) => fn.max<number | null>('version').as('version'))
        .where('name', '=', name)
        .executeTakeFirstOrThrow();
      const version = (newest.version ?? 0) + 1;
      const publishedAt = this.clock.now();
      await queries
        .insertInto('rateCards')
        .values({ name, version, document, publishedAt, withdrawnAt: null, by })
        .execute();
      await log('rate_card', [['published', `${name}@${version}`]], { by, batchId: null });
      return version;
    });
  }

  /** Withdraws a version. Returns false if it was withdrawn before. Throws `not_found` if there is none. */
  withdraw(name: string, version: number, by: Actor): Promise<boolean> {
    return this.database.write(async ({ queries, log }) => {
      const card = await queries
        .selectFrom('rateCards')
        .select(['rowId', 'withdrawnAt'])
        .where('name', '=', name)
        .where('version', '=', version)
        .executeTakeFirst();
      if (card === undefined) throw unknownRateCard(name, version, await namesOf(queries));
      if (card.withdrawnAt !== null) return false;
      await queries
        .updateTable('rateCards')
        .set({ withdrawnAt: this.clock.now() })
        .where('rowId', '=', card.rowId)
        .execute();
      await log('rate_card', [['withdrawn', `${name}@${version}`]], { by, batchId: null });
      return true;
    });
  }

  /** All versions, by name, the newest first. */
  async list(): Promise<RateCardRecord[]> {
    return withForce(await records(this.database.queries).execute());
  }

  /** A version, by default the one in force, or else the newest. Throws `not_found` if there is none. */
  async show(name: string, version?: number): Promise<RateCardRecord> {
    const cards = withForce(
      await records(this.database.queries).where('name', '=', name).execute(),
    );
    const found =
      version === undefined
        ? (cards.find(({ isInForce }) => isInForce) ?? cards[0])
        : cards.find((card) => card.version === version);
    if (found === undefined) {
      throw unknownRateCard(name, version, await namesOf(this.database.queries));
    }
    return found;
  }

  /** The version in force of the card of a client; undefined if there is none. Throws as `readStoredCard`. */
  async ofClient(clientId: string): Promise<PublishedRateCard | undefined> {
    const [found] = await selectOfClient(this.database.queries, { clientId });
    return found && { card: await this.#card(found.rowId), version: found.version };
  }

  async #card(rowId: number): Promise<RateCard> {
    const kept = this.#cards.get(rowId);
    if (kept !== undefined) return kept;
    const [row] = await selectDocument(this.database.queries, { rowId });
    const card = readStoredCard(row!.document);
    this.#cards.set(rowId, card);
    return card;
  }
}

async function namesOf(queries: Queries): Promise<string[]> {
  const rows = await queries.selectFrom('rateCards').select('name').distinct().execute();
  return rows.map(({ name }) => name);
}

function records(queries: Queries) {
  return queries
    .selectFrom('rateCards')
    .select(['name', 'version', 'document', 'publishedAt', 'withdrawnAt', 'by'])
    .orderBy('name')
    .orderBy('version', 'desc');
}

/** Marks the first version of each name that was not withdrawn. */
function withForce(rows: readonly Omit<RateCardRecord, 'isInForce'>[]): RateCardRecord[] {
  const seen = new Set<string>();
  return rows.map((row) => {
    const isInForce = row.withdrawnAt === null && !seen.has(row.name);
    if (isInForce) seen.add(row.name);
    return { ...row, isInForce };
  });
}
