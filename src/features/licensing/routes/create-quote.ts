import type { Clock } from '../../../common/clock.ts';
import { newSortableId } from '../../../common/ids.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import { makeQuote } from '../make-quote.ts';
import { MAX_QUOTED_TRACKS } from '../price.ts';
import { requireTimeOfSale, shownQuote } from '../quote.ts';
import { QuoteRequestSchema, quoteRequestOf, worldProblems } from '../quote-request.ts';
import type { QuoteStore } from '../store/quote-store.ts';
import type { RateCardStore } from '../store/rate-card-store.ts';
import { LICENSING_ROUTE, QuoteSchema } from './licensing-schema.ts';

/** POST /v1/quotes: prices a use of tracks (docs/contract/licensing.md#quotes). */
export function createQuote({
  rateCards,
  quotes,
  clock,
}: {
  rateCards: Pick<RateCardStore, 'ofClient'>;
  quotes: Pick<QuoteStore, 'tracksNamed' | 'collisions' | 'add'>;
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
    data: QuoteSchema,
    async handle({ body, caller, now, change }) {
      requireTimeOfSale(now);
      const { clientId, mode } = caller!;
      const buyer = { clientId, mode };
      const published = await rateCards.ofClient(clientId);
      const made = await makeQuote(quoteRequestOf(body), published, quotes, { buyer, now });
      const quote = {
        ...made,
        ...buyer,
        id: newSortableId(clock.now()),
        rateCard: published === undefined ? null : made.terms.rateCard,
        request: body,
      };
      return change(
        (context) => quotes.add(quote, context),
        (stored) => ({
          data: shownQuote(stored, now),
          headers: { Location: `/v1/quotes/${stored.id}` },
        }),
      );
    },
  });
}
