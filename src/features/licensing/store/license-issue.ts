import type { WriteContext } from '../../../common/caller/write-context.ts';
import { coversTerritory, type RegionGroup } from '../../../common/codes/regions.ts';
import { StaveError } from '../../../common/errors.ts';
import type {
  Queries,
  SqlDatabase,
  SqlDialect,
  WriteTransaction,
} from '../../../engines/sql/database.ts';
import { unavailableIn } from '../../availability/availability.ts';
import { fixtureTrack } from '../fixture-track.ts';
import {
  type Certify,
  type IssuedLicense,
  isSameLicensee,
  type LicenseRequest,
  type LicenseTerms,
} from '../issued-license.ts';
import { licenseNumber } from '../license-number.ts';
import {
  LATE_START_MS,
  type LicensableTrack,
  notAvailable,
  notCovered,
  occupationOf,
  type Quote,
  unknownQuote,
} from '../quote.ts';
import { groupsOfStoredCard } from '../stored-rate-card.ts';
import { licensableTracks } from './licensable-tracks.ts';
import { collisionsOf } from './license-collisions.ts';
import { licenseOf, licensesLike, selectLicenses } from './license-queries.ts';
import { storeLicense } from './license-rows.ts';
import { quoteOf, quotes } from './quote-store.ts';

/** How many tracks an error names. */
const NAMED = 50;

/** Issues licenses within the transaction of the request, under the lock of all writers. */
export class LicenseIssue {
  readonly #queries: Queries;
  readonly #dialect: SqlDialect;
  readonly #log: WriteTransaction['log'];
  readonly #context: Omit<WriteContext, 'finish'>;
  readonly #now: number;

  constructor(
    { queries, log }: WriteTransaction,
    { dialect }: Pick<SqlDatabase, 'dialect'>,
    { actor, clientId, mode }: Omit<WriteContext, 'finish'>,
    now: number,
  ) {
    this.#queries = queries;
    this.#dialect = dialect;
    this.#log = log;
    this.#context = { actor, clientId, mode };
    this.#now = now;
  }

  /** Returns the license of the quote, and whether it is new. Throws as `IssuedLicenseStore.issue`. */
  async issue(
    request: LicenseRequest,
    certify: Certify,
  ): Promise<{ license: IssuedLicense; isNew: boolean }> {
    const { rowId, quote } = await this.#quote(request.quoteId);
    if (quote.licenseNumber !== null) {
      return { license: await this.#issued(quote.licenseNumber, request), isNew: false };
    }
    const startsAt = this.#refuseStale(quote, request);
    const tracks = await this.#availableTracks(quote, rowId, startsAt);
    const license = await this.#draw(quote, request, tracks, startsAt);
    const certified = certify(license);
    // Nothing but statements is awaited in a transaction, so a signer should return the text at once.
    const certificate = typeof certified === 'string' ? certified : await certified;
    await storeLicense(this.#queries, this.#dialect, { ...license, certificate }, rowId);
    await this.#log('license', [['created', license.number]], this.#context);
    return { license: { ...license, certificate }, isNew: true };
  }

  async #quote(id: string): Promise<{ rowId: number; quote: Quote }> {
    const { clientId, mode } = this.#context;
    const row = await quotes(this.#queries)
      .where('quotes.id', '=', id)
      .where('quotes.clientId', '=', clientId)
      .where('quotes.mode', '=', mode)
      .executeTakeFirst();
    if (row === undefined) throw unknownQuote();
    return { rowId: row.rowId, quote: quoteOf(row) };
  }

  /** Returns the license that the quote has bought. Throws `conflict` unless the request is the same. */
  async #issued(
    number: string,
    { termsVersion, licensee }: LicenseRequest,
  ): Promise<IssuedLicense> {
    const row = await selectLicenses(licensesLike(this.#queries, { now: this.#now }))
      .where('number', '=', number)
      .executeTakeFirstOrThrow();
    const license = licenseOf(row);
    const { terms } = license;
    if (termsVersion !== terms.termsVersion || !isSameLicensee(licensee, terms.licensee)) {
      throw new StaveError(
        'conflict',
        `The quote has bought license ${number} for another licensee or other terms; request a new quote for another license.`,
      );
    }
    return license;
  }

  /** Returns the start of the license. Throws if the quote cannot be used any more, or not with these terms. */
  #refuseStale({ terms, expiresAt }: Quote, { termsVersion }: LicenseRequest): number {
    if (this.#now >= expiresAt) {
      const at = new Date(expiresAt).toISOString();
      throw new StaveError('gone', `The quote expired at ${at}; request a new one.`);
    }
    if (termsVersion !== terms.termsVersion) {
      const message = `termsVersion must be ${terms.termsVersion}, as in the quote`;
      throw new StaveError('conflict', `The terms are others: ${message}.`, {
        details: [{ field: 'termsVersion', message }],
      });
    }
    if (terms.startsAt === null) return this.#now;
    const startsAt = Date.parse(terms.startsAt);
    if (startsAt < this.#now - LATE_START_MS) {
      throw new StaveError(
        'conflict',
        `The start ${terms.startsAt} of the quote has passed; request a new quote.`,
      );
    }
    return startsAt;
  }

  /**
   * Returns the tracks of the quote. Throws `conflict` with those that were taken down, are licensed to others, or may no
   * longer be licensed in a territory.
   */
  async #availableTracks(
    { terms, mode }: Quote,
    quoteRowId: number,
    startsAt: number,
  ): Promise<LicensableTrack[]> {
    const ids = terms.items.map(({ trackId }) => trackId);
    const live = await licensableTracks(this.#queries, this.#dialect, ids, this.#now);
    const found = ids.map((id) => live.get(id) ?? fixtureTrack(id, mode));
    const outside = await this.#outsideRegion([...live.values()], terms.territories, quoteRowId);
    const collided = await collisionsOf(this.#queries, this.#dialect, {
      trackIds: [...live.keys()],
      use: occupationOf(terms, startsAt),
      buyer: this.#context,
      now: this.#now,
    });
    const reasonOf = (id: string, track: LicensableTrack | undefined) => {
      if (track === undefined) return 'was taken down';
      const territories = outside.get(id) ?? [];
      if (territories.length > 0) return notCovered(territories, track);
      const unavailable = unavailableIn(track, terms.territories);
      if (unavailable.length > 0) return notAvailable(unavailable);
      return collided.has(id) ? 'is licensed to others for a part of this use' : undefined;
    };
    const problems = terms.items.flatMap(({ trackId, slug }, i) => {
      const reason = reasonOf(trackId, found[i]);
      return reason === undefined ? [] : [{ field: `items[${i}]`, message: `${slug} ${reason}` }];
    });
    if (problems.length > 0) {
      const named = problems.slice(0, NAMED).map(({ message }) => message);
      throw new StaveError('conflict', `The quote cannot be licensed: ${named.join(', ')}.`, {
        details: problems.slice(0, NAMED),
      });
    }
    return found as LicensableTrack[];
  }

  /**
   * Returns the territories that the region of each track does not cover, by the groups of the rate card of the quote. A
   * quote keeps its price if the card changes, but nobody may license a track where the licensor has lost the right.
   */
  async #outsideRegion(
    tracks: readonly LicensableTrack[],
    territories: readonly string[],
    quoteRowId: number,
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    const outside = (groups: readonly RegionGroup[]) =>
      new Map(
        tracks.map(({ id, region }) => [
          id,
          territories.filter((territory) => !coversTerritory(region, territory, groups)),
        ]),
      );
    const withoutGroups = outside([]);
    if ([...withoutGroups.values()].every(({ length }) => length === 0)) return withoutGroups;
    const { document } = await this.#queries
      .selectFrom('quotes')
      .innerJoin('rateCards', 'rateCards.rowId', 'quotes.rateCardRowId')
      .select('rateCards.document')
      .where('quotes.rowId', '=', quoteRowId)
      .executeTakeFirstOrThrow();
    return outside(groupsOfStoredCard(document));
  }

  /** Draws the next number, and returns the license without its certificate. */
  async #draw(
    { id, terms, mode, clientId }: Quote,
    { licensee }: LicenseRequest,
    tracks: readonly LicensableTrack[],
    startsAt: number,
  ): Promise<Omit<IssuedLicense, 'certificate'>> {
    const year = new Date(this.#now).getUTCFullYear();
    const { last } = await this.#queries
      .insertInto('licenseCounters')
      .values({ mode, year, last: 1 })
      .onConflict((conflict) =>
        conflict
          .columns(['mode', 'year'])
          .doUpdateSet(({ eb }) => ({ last: eb('licenseCounters.last', '+', 1) })),
      )
      .returning('last')
      .executeTakeFirstOrThrow();
    const { project, media, territories, exclusive, termsVersion, termsUrl, minorUnit } = terms;
    const licensed: LicenseTerms = {
      quoteId: id,
      ...{ licensee, project, media, territories, exclusive, termsVersion, termsUrl, minorUnit },
      tracks: tracks.map(({ id: trackId, name, artists, isrc }, i) => {
        const { amountMinor } = terms.items[i]!;
        return { trackId, name, artists, isrc, amountMinor };
      }),
    };
    const { amountMinor, currency } = terms;
    return {
      number: licenseNumber(mode, year, last),
      ...{ clientId, mode, terms: licensed, amountMinor, currency, startsAt },
      issuedAt: this.#now,
      endsAt: occupationOf(terms, startsAt).endsAt,
      revokedAt: null,
      reason: null,
    };
  }
}
