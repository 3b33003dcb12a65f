import Type from 'typebox';
import { byOf } from '../../../common/caller.ts';
import type { Clock } from '../../../common/clock.ts';
import { StaveError } from '../../../common/errors.ts';
import { newSortableId } from '../../../common/ids.ts';
import { flag } from '../../../common/schema-types.ts';
import { parseTime } from '../../../common/time.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import { pageMembers, pageResponse, paginated, rangeOf } from '../../../engines/http/schemas.ts';
import { makeQuote, type NearestSlug, requestProblems } from '../make-quote.ts';
import { MAX_QUOTED_TRACKS } from '../price.ts';
import { groupProblems, quoteForClient, requireTimeOfSale } from '../quote.ts';
import { QuoteRequestSchema, quoteRequestOf, worldProblems } from '../quote-request.ts';
import { shownRateCard } from '../rate-card.ts';
import type { QuoteStore } from '../store/quote-store.ts';
import type { RateCardStore } from '../store/rate-card-store.ts';
import {
  LICENSING_ROUTE,
  moneyMembers,
  QuoteSchema,
  quoteParams,
  termsMembers,
} from './licensing-schema.ts';

/** POST /v1/quotes: prices a use of tracks (docs/contract/licensing.md#quotes). */
export function createQuote({
  rateCards,
  quotes,
  nearestSlug,
  clock,
}: {
  rateCards: Pick<RateCardStore, 'ofClient'>;
  quotes: Pick<QuoteStore, 'tracksNamed' | 'collisions' | 'add' | 'spendable'>;
  nearestSlug: NearestSlug;
  clock: Clock;
}): Route {
  return route({
    ...LICENSING_ROUTE,
    operationId: 'createQuote',
    method: 'POST',
    path: '/v1/quotes',
    summary: 'Request a quote',
    description: `For up to ${MAX_QUOTED_TRACKS} tracks. The price stays as it is until \`expiresAt\`. A quote reserves nothing: a track may be taken down, or be licensed exclusively to others, until the license is issued. If one of the tracks is not for sale for this use, nothing is quoted (409), and \`details\` names all such tracks.`,
    errors: ['not_found', 'conflict'],
    idempotent: true,
    success: { statuses: [201], headers: ['Location'] },
    body: QuoteRequestSchema,
    checkBody: ({ territories }) => worldProblems(territories),
    async checkRefused({ startsAt, ...valid }, { given, caller, now }) {
      const published = await rateCards.ofClient(caller!.clientId);
      const start = startsAt === undefined ? null : parseTime(startsAt)!;
      const problems = requestProblems({ ...valid, startsAt: start }, published, now);
      return [
        ...problems.filter(({ field }) => field !== 'audience' || given.audience === undefined),
        ...groupProblems(given.territories, published?.card.territories ?? []),
      ];
    },
    data: QuoteSchema,
    async handle({ body, caller, now, change }) {
      requireTimeOfSale(now);
      const { clientId, mode } = caller!;
      const buyer = { clientId, mode };
      const published = await rateCards.ofClient(clientId);
      const made = await makeQuote(quoteRequestOf(body), published, quotes, {
        ...{ buyer, now, nearestSlug },
      });
      const quote = {
        ...made,
        terms: { ...made.terms, by: byOf(caller!) },
        ...buyer,
        id: newSortableId(clock.now()),
        rateCard: published === undefined ? null : made.terms.rateCard,
        request: body,
      };
      const spendable = await quotes.spendable(buyer, now);
      return change(
        (context) => quotes.add(quote, context),
        (stored) => ({
          data: quoteForClient(stored, { now, spendable, clientName: caller!.name }),
          headers: { Location: `/v1/quotes/${stored.id}` },
        }),
      );
    },
  });
}

/** GET /v1/quotes: lists the quotes of the client (docs/contract/licensing.md#quotes). */
export function listQuotes({ quotes }: { quotes: Pick<QuoteStore, 'list' | 'spendable'> }): Route {
  return route({
    ...LICENSING_ROUTE,
    operationId: 'listQuotes',
    method: 'GET',
    path: '/v1/quotes',
    summary: 'List quotes',
    description:
      'Yours, newest first. A quote that was not licensed is deleted 400 days after it has expired.',
    query: Type.Object(pageMembers),
    data: paginated(QuoteSchema, 'QuotePage'),
    async handle({ query, caller, now }) {
      const found = await quotes.list(caller!, rangeOf(query));
      const spendable = await quotes.spendable(caller!, now);
      const { name: clientName } = caller!;
      const shown = found.quotes.map((quote) =>
        quoteForClient(quote, { now, spendable, clientName }),
      );
      return pageResponse(shown, found.total, query);
    },
  });
}

/** GET /v1/quotes/{id} (docs/contract/licensing.md#quotes). */
export function showQuote({ quotes }: { quotes: Pick<QuoteStore, 'find' | 'spendable'> }): Route {
  return route({
    ...LICENSING_ROUTE,
    operationId: 'showQuote',
    method: 'GET',
    path: '/v1/quotes/{id}',
    summary: 'Read a quote',
    description: 'One of yours in this mode.',
    errors: ['not_found'],
    params: Type.Object(quoteParams),
    data: QuoteSchema,
    async handle({ params, caller, now }) {
      const quote = await quotes.find(params.id.toLowerCase(), caller!);
      const spendable = await quotes.spendable(caller!, now);
      return { data: quoteForClient(quote, { now, spendable, clientName: caller!.name }) };
    },
  });
}

const RateCardSchema = Type.Object(
  {
    name: Type.String({ examples: ['standard'] }),
    version: Type.Integer({ minimum: 1, examples: [3] }),
    ...moneyMembers,
    media: Type.Array(Type.String(), { examples: [['online', 'social', 'broadcast']] }),
    territories: Type.Array(
      Type.Object(
        {
          code: Type.String({ examples: ['DACH'] }),
          countries: Type.Unsafe<string[] | null>({
            type: ['array', 'null'],
            items: { type: 'string' },
            description: 'Null: every country.',
            examples: [['DE', 'AT', 'CH']],
          }),
        },
        { title: 'Territory' },
      ),
      { description: 'Groups of countries with one price.' },
    ),
    terms: Type.Array(Type.String(), { examples: [['P1M', 'P1Y', 'PERPETUAL']] }),
    audience: Type.Array(Type.Unsafe<number | null>({ type: ['integer', 'null'] }), {
      description:
        'The bounds of the steps of the audience; null for the last one. Empty if the audience does not count; otherwise a quote needs one.',
      examples: [[10_000, null]],
    }),
    exclusive: flag('Whether exclusive licenses are sold.', true),
    ...termsMembers,
  },
  { title: 'RateCard', description: 'What a quote may request.' },
);

/** GET /v1/rate-card: shows what the client may request a quote for (docs/contract/licensing.md#rate-card). */
export function readRateCard({ rateCards }: { rateCards: Pick<RateCardStore, 'ofClient'> }): Route {
  return route({
    ...LICENSING_ROUTE,
    operationId: 'readRateCard',
    method: 'GET',
    path: '/v1/rate-card',
    summary: 'Read what a quote may request',
    description:
      'The media, territories, terms and audiences that are for sale to you, without prices: `POST /v1/quotes` computes them.',
    errors: ['not_found'],
    data: RateCardSchema,
    async handle({ caller }) {
      const published = await rateCards.ofClient(caller!.clientId);
      if (published === undefined) {
        throw new StaveError('not_found', 'The licensor has published no rate card for you.');
      }
      return { data: shownRateCard(published) };
    },
  });
}
