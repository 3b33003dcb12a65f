import Type from 'typebox';
import { StaveError } from '../../../common/errors.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import { shownRateCard } from '../rate-card.ts';
import type { RateCardStore } from '../store/rate-card-store.ts';
import { LICENSING_ROUTE, moneyMembers, termsMembers } from './licensing-schema.ts';

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
    exclusive: Type.Boolean({
      description: 'Whether exclusive licenses are sold.',
      examples: [true],
    }),
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
