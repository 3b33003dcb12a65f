import Type from 'typebox';
import { type Route, route } from '../../../engines/http/route/route.ts';
import {
  pageAfter,
  pageAround,
  pageMembers,
  pageOrDefault,
  paginated,
} from '../../../engines/http/schemas.ts';
import { shownQuote } from '../quote.ts';
import type { QuoteStore } from '../store/quote-store.ts';
import { LICENSING_ROUTE, QuoteSchema, quoteParams } from './licensing-schema.ts';

/** GET /v1/quotes: lists the quotes of the client (docs/contract/licensing.md#quotes). */
export function listQuotes({ quotes }: { quotes: Pick<QuoteStore, 'list'> }): Route {
  return route({
    ...LICENSING_ROUTE,
    operationId: 'listQuotes',
    method: 'GET',
    path: '/v1/quotes',
    summary: 'List quotes',
    description:
      'Yours, newest first. A quote that was not licensed is deleted 400 days after it has expired.',
    errors: [],
    query: Type.Object(pageMembers),
    data: paginated(QuoteSchema, 'QuotePage'),
    async handle({ query, caller, now }) {
      const { page, pageSize } = pageOrDefault(query);
      const { clientId, mode } = caller!;
      const found = await quotes.list(
        { clientId, mode },
        { offset: (page - 1) * pageSize, limit: pageSize },
      );
      const shown = found.quotes.map((quote) => shownQuote(quote, now));
      const data = pageAround(shown, found.total, query);
      return { data, nextPage: pageAfter(data.currentPage, data.totalPages) };
    },
  });
}

/** GET /v1/quotes/{id} (docs/contract/licensing.md#quotes). */
export function showQuote({ quotes }: { quotes: Pick<QuoteStore, 'find'> }): Route {
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
      const { clientId, mode } = caller!;
      return {
        data: shownQuote(await quotes.find(params.id.toLowerCase(), { clientId, mode }), now),
      };
    },
  });
}
