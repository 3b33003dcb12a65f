import type { ClientMode } from '../../common/caller.ts';
import { DAY_MS } from '../../common/clock.ts';
import { type FieldProblem, invalidRequest, StaveError, summaryOf } from '../../common/errors.ts';
import { isoOrNull } from '../../common/time.ts';
import { STANDARD_RATE_CARD } from '../access/client.ts';
import { repeatedNames, repetition, unknownTracks } from '../catalog/given-items.ts';
import { type Price, priceOf, territoryOf } from './price.ts';
import {
  FIXTURE_PRICE,
  fixtureTrack,
  isFixture,
  type LicensableTrack,
  namedCodes,
  occupationOf,
  problemsOf,
  type Quote,
  type QuoteItem,
  type QuoteRequest,
  startProblems,
  termProblems,
  territoryProblem,
} from './quote.ts';
import type { PublishedRateCard, RateCard } from './rate-card.ts';
import type { QuoteStore } from './store/quote-store.ts';

/** The terms of quotes of the fixture track if there is no rate card. ISO 4217 reserves XTS for tests. */
const WITHOUT_CARD = {
  currency: 'XTS',
  minorUnit: 2,
  rateCard: { name: STANDARD_RATE_CARD, version: 0 },
  termsVersion: 'test',
  termsUrl: 'https://stave.example/terms/test',
};
const QUOTE_DAYS_WITHOUT_CARD = 14;

/**
 * Prices a request (docs/contract/licensing.md#quotes). Throws `invalid_request` for what the card does not have,
 * `not_found` for unknown tracks, `invalid_request` for repeated ones, and `conflict` if the request as a whole, or any of
 * its tracks, is not for sale.
 *
 * @param names slugs or ids of tracks
 * @param published undefined if the client has no card
 * @param buyer null for the operator, for whom nothing collides
 * @param now in milliseconds since the epoch
 */
export async function makeQuote(
  { names, ...request }: QuoteRequest & { names: readonly string[] },
  published: PublishedRateCard | undefined,
  store: Pick<QuoteStore, 'collisions' | 'tracksNamed'>,
  {
    buyer,
    now,
    nearestSlug = async () => undefined,
  }: { buyer: ClientMode | null; now: number; nearestSlug?: NearestSlug },
): Promise<Pick<Quote, 'terms' | 'createdAt' | 'expiresAt'>> {
  refuseProblems(requestProblems(request, published, now));
  const tracks = await foundTracks(names, store, buyer, nearestSlug);
  const prices =
    published === undefined
      ? fixturePrices(tracks)
      : await pricesOf(tracks, request, published, store, { buyer, now });
  const items = tracks.map(
    ({ id, slug, name }, i): QuoteItem => ({ trackId: id, slug, name, ...prices[i]! }),
  );
  const { startsAt, audience, media, territories, term, exclusive, project } = request;
  const { purchaseOrder } = request;
  const isAudienceCounted = (published?.card.audience.length ?? 0) > 0;
  return {
    terms: {
      items,
      amountMinor: items.reduce((sum, { amountMinor }) => sum + amountMinor, 0),
      ...(published === undefined ? WITHOUT_CARD : cardMembers(published)),
      ...{ media, territories, term },
      startsAt: isoOrNull(startsAt),
      ...(isAudienceCounted && { audience: audience! }),
      ...{ exclusive, project },
      ...(purchaseOrder !== undefined && { purchaseOrder }),
      parts: published?.card.parts ?? false,
    },
    createdAt: now,
    expiresAt: now + (published?.card.quoteDays ?? QUOTE_DAYS_WITHOUT_CARD) * DAY_MS,
  };
}

/** Returns the problems of a request that depend on the card. Members that the schema refuses are absent. */
export function requestProblems(
  request: Partial<QuoteRequest>,
  published: PublishedRateCard | undefined,
  now: number,
): FieldProblem[] {
  if (published !== undefined) return problemsOf(request, published.card, now);
  const { term, startsAt = null } = request;
  return [...(term === undefined ? [] : termProblems(term)), ...startProblems(startsAt, now)];
}

function cardMembers({ card, version }: PublishedRateCard) {
  const { name, currency, minorUnit, termsVersion, termsUrl } = card;
  return { currency, minorUnit, rateCard: { name, version }, termsVersion, termsUrl };
}

function refuseProblems(details: readonly FieldProblem[]): void {
  if (details.length > 0) throw invalidRequest(details.slice(0, 50));
}

/** Returns the slug of a live track that a misspelled one may mean. */
export type NearestSlug = (slug: string) => Promise<string | undefined>;

/** Throws `not_found` unless all tracks are found, and then `invalid_request` if one is named twice. */
async function foundTracks(
  names: readonly string[],
  store: Pick<QuoteStore, 'tracksNamed'>,
  buyer: ClientMode | null,
  nearestSlug: NearestSlug,
): Promise<LicensableTrack[]> {
  const found = await store.tracksNamed(names);
  const tracks = names.map(
    (name, i) => found[i] ?? (buyer && fixtureTrack(name.toLowerCase(), buyer.mode)) ?? undefined,
  );
  const unknown = names.filter((_, i) => tracks[i] === undefined);
  if (unknown.length > 0) throw unknownTracks(unknown, await nearestSlug(unknown[0]!));
  const items = names.map((track, i) => ({ track, field: `tracks[${i}]` }));
  refuseProblems(repeatedNames(items, (_, i) => tracks[i]!.id).map(repetition));
  return tracks as LicensableTrack[];
}

function fixturePrices(tracks: readonly LicensableTrack[]): Price[] {
  if (!tracks.every(isFixture)) {
    throw new StaveError(
      'conflict',
      'The licensor has published no rate card for you, so nothing can be quoted.',
    );
  }
  return tracks.map(() => FIXTURE_PRICE);
}

/** Returns the price of each track. Throws `conflict` with all tracks that are not for sale. */
async function pricesOf(
  tracks: readonly LicensableTrack[],
  request: QuoteRequest,
  { card }: PublishedRateCard,
  store: Pick<QuoteStore, 'collisions'>,
  { buyer, now }: { buyer: ClientMode | null; now: number },
): Promise<Price[]> {
  if (request.exclusive && card.exclusive === null && !tracks.every(isFixture)) {
    refuseSale([{ field: 'exclusive', message: 'exclusive licenses are not sold' }]);
  }
  const prices = tracks.map((track) =>
    isFixture(track) ? FIXTURE_PRICE : priceOf(card, request, track, tracks.length),
  );
  const ids = tracks.filter((track) => !isFixture(track)).map(({ id }) => id);
  const use = occupationOf(request, request.startsAt ?? now);
  const collided = buyer === null ? new Set() : await store.collisions(ids, use, buyer, now);
  const problems = tracks.flatMap((track, i): FieldProblem[] => {
    if (isFixture(track)) return [];
    const message = reasonAgainst(track, prices[i], request, card, collided.has(track.id));
    return message === undefined ? [] : [{ field: `tracks[${i}]`, message }];
  });
  refuseSale(problems);
  return prices as Price[];
}

/** Returns why a track is not for sale; undefined if it is. */
function reasonAgainst(
  track: LicensableTrack,
  price: Price | undefined,
  { territories, exclusive }: QuoteRequest,
  card: RateCard,
  isCollided: boolean,
): string | undefined {
  const problem = territoryProblem(track, territories, card.territories);
  if (problem !== undefined) return problem;
  if (territoryOf(card, territories) === undefined) {
    return `is not licensable in ${namedCodes(territories)}: no territory of the rate card contains it`;
  }
  if (price === undefined) return `is not licensable: the rate card has no price for ${track.type}`;
  if (!isCollided) return undefined;
  return exclusive
    ? 'is licensed to others for a part of this use, so it cannot be exclusive'
    : 'is licensed exclusively to others for a part of this use';
}

function refuseSale(details: readonly FieldProblem[]): void {
  if (details.length === 0) return;
  const [{ field, message }, ...others] = details as [FieldProblem];
  // The message about a track only follows its name.
  const first = field === 'exclusive' ? message : `${field} ${message}`;
  throw new StaveError('conflict', summaryOf([{ field, message: first }, ...others]), { details });
}
