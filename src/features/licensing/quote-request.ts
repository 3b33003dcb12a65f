import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { COUNTRIES } from '../../common/codes.ts';
import type { FieldProblem } from '../../common/errors.ts';
import { OperatorError } from '../../common/errors.ts';
import { contractName, flag, integer, line, territory, time } from '../../common/schema-types.ts';
import { parseTime } from '../../common/time.ts';
import { MAX_QUOTED_TRACKS } from './price.ts';
import type { QuoteRequest } from './quote.ts';
import { parseOperatorJson } from './rate-card-file.ts';

const code = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: 50, description, examples: [example] });

const ProjectSchema = Type.Object(
  {
    name: contractName(200, {
      description: 'The name of the film, the series or the spot.',
      examples: ['Spring ad'],
    }),
    reference: Type.Optional(
      line(100, {
        minLength: 0,
        'x-rule': 'have at most 100 characters, and no control characters',
        description: 'Your reference.',
        examples: ['SPOT-4711'],
      }),
    ),
    productionId: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9._:~-]{1,100}$',
        'x-rule': 'have 1 to 100 letters, digits and characters of . _ : ~ -',
        description: 'Your id of the production, as in reported syncs.',
        examples: ['ep-7'],
      }),
    ),
  },
  { title: 'LicensedProject' },
);

/** The body of a request for a quote (docs/contract/licensing.md#quotes). */
export const QuoteRequestSchema = Type.Object(
  {
    tracks: Type.Array(
      Type.String({
        maxLength: 200,
        minLength: 1,
        description: 'Slug or id of a track, in any case.',
        examples: ['night-ferry'],
      }),
      {
        minItems: 1,
        maxItems: MAX_QUOTED_TRACKS,
        uniqueItems: true,
        description: 'The tracks, each once.',
        examples: [['night-ferry']],
      },
    ),
    media: Type.Array(code('A medium of the rate card.', 'online'), {
      minItems: 1,
      maxItems: 500,
      uniqueItems: true,
      description: 'The media of the use, as `GET /v1/rate-card` lists them.',
      examples: [['online', 'social']],
    }),
    territories: Type.Array(territory(), {
      minItems: 1,
      maxItems: COUNTRIES.length,
      uniqueItems: true,
      description: 'Countries, or `WORLD` alone. Codes of groups are not accepted.',
      examples: [['DE', 'AT']],
    }),
    term: code('A term of the rate card, such as `P1Y` or `PERPETUAL`.', 'P1Y'),
    startsAt: Type.Optional(
      time({
        description:
          'When the license starts: up to 365 days ahead. Without it, the license starts when it is issued.',
        examples: ['2026-12-01T00:00:00Z'],
      }),
    ),
    audience: Type.Optional(
      integer(
        'How many people the use reaches. Required if the rate card has steps, and otherwise ignored.',
        50_000,
        { maximum: Number.MAX_SAFE_INTEGER },
      ),
    ),
    exclusive: Type.Optional(
      flag('Whether nobody else may get a license for the same use.', false, { default: false }),
    ),
    project: ProjectSchema,
    purchaseOrder: Type.Optional(
      line(100, {
        description: 'Your number of the order, as the license will show it.',
        examples: ['PO-2026-0815'],
      }),
    ),
  },
  { title: 'QuoteRequest' },
);

/** Returns the problem of territories that the schema does not find. */
export function worldProblems(territories: readonly string[] = []): FieldProblem[] {
  return territories.length > 1 && territories.includes('WORLD')
    ? [{ field: 'territories', message: 'territories must have WORLD alone, or only countries' }]
    : [];
}

export function quoteRequestOf(
  body: Static<typeof QuoteRequestSchema>,
): QuoteRequest & { names: readonly string[] } {
  const { tracks: names, startsAt, audience, exclusive = false, ...use } = body;
  return {
    ...use,
    ...{ names, audience, exclusive },
    startsAt: startsAt === undefined ? null : parseTime(startsAt)!,
  };
}

const CLOSED = { additionalProperties: false };
/** Refuses unknown members, which the schemas of the API accept because the API checks them separately. */
const compiled = Compile(
  Type.Object(
    {
      ...QuoteRequestSchema.properties,
      project: Type.Object(ProjectSchema.properties, CLOSED),
    },
    CLOSED,
  ),
);

/** Returns the request in a file of the operator. Throws OperatorError with the first problem. */
export function parseQuoteRequest(text: string): QuoteRequest & { names: readonly string[] } {
  const body = parseOperatorJson(text, 'the request');
  if (!compiled.Check(body)) {
    const [first] = compiled.Errors(body);
    const field = first?.instancePath.slice(1, 201).replaceAll('/', '.') || 'it';
    const isUnknown = first?.keyword === 'boolean';
    const problem = isUnknown ? 'is no member of a request' : (first?.message ?? 'is invalid');
    throw new OperatorError(`the request is refused: ${field} ${problem}`);
  }
  const [problem] = worldProblems(body.territories);
  if (problem !== undefined) throw new OperatorError(`the request is refused: ${problem.message}`);
  return quoteRequestOf(body);
}
