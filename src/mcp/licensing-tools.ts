import Type from 'typebox';
import type { CreateQuoteInput } from '#client';
import { inputOf, MAX_RECORDS, nameOf } from './inputs.ts';
import { outputOf, QUOTE, RATE_CARD } from './outputs.ts';
import { textOf } from './shown.ts';
import { type CompiledTool, tool } from './tool.ts';

const medium = Type.String({ minLength: 1, maxLength: 50 });

/** The tools that show prices. None buys a license: a person decides that. */
export const LICENSING_TOOLS: readonly CompiledTool[] = [
  tool({
    name: 'get_rate_card',
    title: 'Read the rate card',
    description: 'Returns the media, terms and other values that create_quote accepts.',
    scope: 'licensing',
    readOnly: true,
    input: inputOf({}),
    output: outputOf({ rateCard: RATE_CARD }),
    async run({ client }, _input, options) {
      const card = await client.readRateCard(options);
      const lines = [
        `Media: ${card.media.join(', ')}`,
        `Terms: ${card.terms.join(', ')}`,
        card.audience.length > 0 ? 'A quote needs the audience.' : 'The audience does not count.',
        card.exclusive ? 'Exclusive licenses are sold.' : 'Exclusive licenses are not sold.',
      ];
      return {
        data: { rateCard: card },
        text: textOf(`${card.name}, version ${card.version}, in ${card.currency}`, lines),
      };
    },
  }),
  tool({
    name: 'create_quote',
    title: 'Request a price',
    description:
      'Requests a binding price for a use of tracks, from get_rate_card. It does not buy a license and costs ' +
      'nothing. The quote is stored at the licensor until it expires.',
    scope: 'licensing',
    readOnly: false,
    input: inputOf({
      tracks: Type.Array(nameOf('track'), {
        minItems: 1,
        maxItems: MAX_RECORDS,
        description: 'The tracks, each once.',
      }),
      media: Type.Array(medium, {
        minItems: 1,
        maxItems: 50,
        description: 'Where the tracks are used, as the rate card lists it.',
      }),
      territories: Type.Array(Type.String({ pattern: '^([A-Z]{2}|WORLD)$' }), {
        minItems: 1,
        maxItems: 249,
        description: 'ISO 3166 codes of countries, such as DE, or WORLD alone.',
      }),
      term: Type.String({
        minLength: 1,
        maxLength: 50,
        description: 'A term of the rate card, such as P1Y.',
      }),
      audience: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'How many people the use reaches, if the rate card needs it.',
        }),
      ),
      exclusive: Type.Optional(
        Type.Boolean({
          description: 'Whether nobody else may get a license for the same use.',
        }),
      ),
      projectName: Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'The name of the film, the series or the spot.',
      }),
    }),
    output: outputOf({ quote: QUOTE }),
    async run({ client }, { projectName, ...use }, options) {
      // The service checks the codes of the countries.
      const request = { ...use, project: { name: projectName } } as CreateQuoteInput;
      const quote = await client.createQuote(request, options);
      const { items, amountMinor, currency, minorUnit, id, expiresAt } = quote;
      const amount = (minor: number) =>
        `${(minor / 10 ** minorUnit).toFixed(minorUnit)} ${currency}`;
      const lines = items.map((one) => `${one.name} [${one.slug}] ${amount(one.amountMinor)}`);
      const summary = `Quote ${id}: ${amount(amountMinor)}, valid until ${expiresAt}. Nothing was bought.`;
      return { data: { quote }, text: textOf(summary, lines) };
    },
  }),
];
