import type { ClientMode, WriteContext } from '../../../common/caller.ts';
import type { Queries } from '../../../engines/sql/database.ts';
import { inSlices } from '../../../engines/sql/slices.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';
import { parseStored } from '../../../engines/sql/stored-value.ts';
import { tracksNamed } from '../../catalog/store/track-names.ts';
import {
  KEPT_MS,
  type LicensableTrack,
  type Occupation,
  type Quote,
  type QuoteTerms,
  type Spendable,
  unknownQuote,
} from '../quote.ts';
import { collisionsAside, licensableTracks } from './licensable-tracks.ts';
import { spendableBy } from './spending.ts';

/** Stores quotes, and reads what they are made from. Quotes are not in the change log. */
export class QuoteStore extends SqlStore {
  /** Returns the live track of each name, a slug or an id in any case; undefined if there is none. */
  tracksNamed(names: readonly string[]): Promise<(LicensableTrack | undefined)[]> {
    const { dialect } = this.database;
    return this.database.view(async (queries) => {
      const named = await tracksNamed(queries, dialect, names);
      const ids = new Set(named.flatMap((track) => (track?.isLive ? [track.id] : [])));
      const tracks = await licensableTracks(queries, dialect, [...ids], this.clock.now());
      return named.map((track) => track && tracks.get(track.id));
    });
  }

  /**
   * Returns the ids of the tracks that have a license which collides with this use: both share a medium, a country and a
   * moment, and one of them is exclusive. In live mode, only licenses of clients of other accounts collide, and in test
   * mode only the client's own test licenses.
   */
  collisions(
    trackIds: readonly string[],
    use: Occupation,
    buyer: ClientMode,
    now: number,
  ): Promise<ReadonlySet<string>> {
    return collisionsAside(this.database, { trackIds, use, buyer, now });
  }

  /** `rateCard` is null if no card has priced the quote, and `request` is the body of the client. */
  add(
    {
      rateCard,
      request,
      ...quote
    }: Omit<Quote, 'licenseNumber'> & {
      rateCard: { name: string; version: number } | null;
      request: object;
    },
    context: WriteContext<Quote>,
  ): Promise<Quote> {
    const { id, clientId, mode, terms, createdAt, expiresAt } = quote;
    return this.database.apart(async (queries) => {
      const card =
        rateCard &&
        (await queries
          .selectFrom('rateCards')
          .select('rowId')
          .where('name', '=', rateCard.name)
          .where('version', '=', rateCard.version)
          .executeTakeFirstOrThrow());
      await queries
        .insertInto('quotes')
        .values({
          ...{ id, clientId, mode, createdAt, expiresAt },
          rateCardRowId: card?.rowId ?? null,
          request: JSON.stringify(request),
          document: JSON.stringify(terms),
          amountMinor: terms.amountMinor,
          currency: terms.currency,
          licenseRowId: null,
          // A test request may state another time than the clock.
          keptUntil: this.clock.now() + (expiresAt - createdAt) + KEPT_MS,
        })
        .execute();
      return { ...quote, licenseNumber: null };
    }, context);
  }

  /** The quotes of a client in its mode, newest first, and their number. */
  list(
    { clientId, mode }: ClientMode,
    { offset, limit }: { offset: number; limit: number },
  ): Promise<{ quotes: Quote[]; total: number }> {
    return this.database.view(async (queries) => {
      const { total } = await queries
        .selectFrom('quotes')
        .select(({ fn }) => fn.countAll<number>().as('total'))
        .where('clientId', '=', clientId)
        .where('mode', '=', mode)
        .executeTakeFirstOrThrow();
      const rows = await quotes(queries)
        .where('quotes.clientId', '=', clientId)
        .where('quotes.mode', '=', mode)
        .orderBy('quotes.createdAt', 'desc')
        .orderBy('quotes.id', 'desc')
        .offset(offset)
        .limit(limit)
        .execute();
      return { quotes: rows.map(quoteOf), total };
    });
  }

  /** What a client may still spend in the month of a time (UTC) and its mode; null without a limit. */
  spendable(buyer: ClientMode, now: number): Promise<Spendable | null> {
    return this.database.view((queries) => spendableBy(queries, buyer, now));
  }

  /** Throws `not_found` unless the client has this quote in its mode. */
  async find(id: string, buyer: ClientMode): Promise<Quote> {
    return (await findQuote(this.database.queries, id, buyer)).quote;
  }

  /** The quotes of all clients, or of one, that were made last by the clock, newest first, for the operator. */
  async latest(
    limit: number,
    { clientId, offset = 0 }: { clientId?: string | undefined; offset?: number } = {},
  ): Promise<Quote[]> {
    // The ids are in the order of the clock, whatever time a test request states.
    let query = quotes(this.database.queries)
      .orderBy('quotes.id', 'desc')
      .offset(offset)
      .limit(limit);
    if (clientId !== undefined) query = query.where('quotes.clientId', '=', clientId);
    return (await query.execute()).map(quoteOf);
  }

  /**
   * The live quotes of a client that were open at a moment, the oldest first, and their number. Those that were open when
   * they expired are deleted after KEPT_MS.
   */
  openAt(clientId: string, at: number, limit: number): Promise<{ quotes: Quote[]; total: number }> {
    return this.database.view(async (queries) => {
      const open = quotes(queries)
        .where('quotes.clientId', '=', clientId)
        .where('quotes.mode', '=', 'live')
        .where('quotes.createdAt', '<=', at)
        .where('quotes.expiresAt', '>', at)
        .where(({ or, eb }) =>
          or([eb('quotes.licenseRowId', 'is', null), eb('issuedLicenses.issuedAt', '>', at)]),
        );
      const { total } = await open
        .clearSelect()
        .select(({ fn }) => fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow();
      const rows = await open
        .orderBy('quotes.createdAt')
        .orderBy('quotes.id')
        .limit(limit)
        .execute();
      return { quotes: rows.map(quoteOf), total };
    });
  }

  /**
   * Deletes the quotes that expired KEPT_MS ago by the clock and have no license, in transactions of up to 2,000 rows and
   * less than 50 ms. Returns their number. The signal ends it after a transaction.
   */
  async expire(signal?: AbortSignal): Promise<number> {
    const now = this.clock.now();
    let expired = 0;
    const deleteSome = async (limit: number) => {
      const { numDeletedRows } = await this.database.discard((queries) =>
        queries
          .deleteFrom('quotes')
          .where(({ eb, selectFrom }) =>
            eb(
              'rowId',
              'in',
              selectFrom('quotes as old')
                .select('old.rowId')
                .where('old.licenseRowId', 'is', null)
                .where('old.keptUntil', '<', now)
                .orderBy('old.keptUntil')
                .limit(limit),
            ),
          )
          .executeTakeFirstOrThrow(),
      );
      expired += Number(numDeletedRows);
      return Number(numDeletedRows) === limit;
    };
    await inSlices(this.database, deleteSome, { signal });
    return expired;
  }
}

/** Returns a quote of a client and its row id. Throws `not_found` as `find`. */
export async function findQuote(
  queries: Queries,
  id: string,
  { clientId, mode }: ClientMode,
): Promise<{ rowId: number; quote: Quote }> {
  const row = await quotes(queries)
    .where('quotes.id', '=', id)
    .where('quotes.clientId', '=', clientId)
    .where('quotes.mode', '=', mode)
    .executeTakeFirst();
  if (row === undefined) throw unknownQuote();
  return { rowId: row.rowId, quote: quoteOf(row) };
}

/** Quotes with the numbers of their licenses, in any order. */
function quotes(queries: Queries) {
  return queries
    .selectFrom('quotes')
    .leftJoin('issuedLicenses', 'issuedLicenses.rowId', 'quotes.licenseRowId')
    .select(['quotes.rowId', 'quotes.id', 'quotes.clientId', 'quotes.mode', 'quotes.document'])
    .select(['quotes.createdAt', 'quotes.expiresAt', 'issuedLicenses.number as licenseNumber']);
}

type QuoteRow = Awaited<ReturnType<ReturnType<typeof quotes>['execute']>>[number];

function quoteOf({ rowId: _, document, ...quote }: QuoteRow): Quote {
  return { ...quote, terms: parseStored<QuoteTerms>(document) };
}
