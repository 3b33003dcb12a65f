import Type from 'typebox';
import {
  integer,
  integerOrNull,
  openEnum,
  text,
  textOrNull,
  uuid,
} from '../../../common/schema-types.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import { TRACK_FIELDS } from '../../catalog/track-fields.ts';
import { cueSheetCsv, MAX_CUES, PARTY_ROLES } from '../cue-sheet.ts';
import type { CueSheetStore } from '../store/cue-sheet-store.ts';
import { CUE_USAGES } from '../usage.ts';
import { ownId, ProductionSchema, USAGE_ROUTE } from './usage-event.ts';

const PartySchema = Type.Object(
  {
    name: text('The credit as delivered.', 'Mara Lindt'),
    role: openEnum(PARTY_ROLES, {
      description:
        'As in CISAC CWR: composer (C), author of the words (A), both (CA), arranger (AR), publisher (E).',
      examples: ['CA'],
    }),
    ipi: textOrNull('The IPI name number.', '00014107338'),
    society: textOrNull('The collecting society.', 'GEMA'),
    sharePercent: textOrNull('The share of this side of the work, with two decimals.', '50.00'),
  },
  { title: 'InterestedParty' },
);

const SheetCueSchema = Type.Object(
  {
    sequence: integer('From 1.', 1, { minimum: 1 }),
    number: integerOrNull('As reported.', 1),
    trackId: uuid({ examples: ['3d1a8f34-8b42-5f0c-a8a1-5b8f2f7c9d10'] }),
    title: Type.String({ examples: ['Night Ferry'] }),
    isrc: textOrNull('Without hyphens.', 'QZES72400137'),
    iswc: textOrNull('The number of the work.', 'T-034.524.680-1'),
    usage: openEnum(CUE_USAGES, { description: 'As reported.', examples: ['BI'] }),
    startSeconds: integer('Where the track begins in the production.', 62),
    durationSeconds: integer('How long it was used.', 31),
    writers: Type.Array(PartySchema, { description: 'Composers, authors and arrangers.' }),
    publishers: Type.Array(PartySchema),
    licenseNumber: textOrNull('The license that was reported with the sync.', null),
    provenance: Type.Union([TRACK_FIELDS.provenance, Type.Null()], {
      description: 'That of the track now; null for a track that was removed.',
    }),
  },
  { title: 'SheetCue' },
);

const CueSheetSchema = Type.Object(
  {
    production: ProductionSchema,
    cues: Type.Array(SheetCueSchema, {
      maxItems: MAX_CUES,
      description: 'In the order of start, number and event id.',
    }),
    totals: Type.Object({
      cues: Type.Integer({ minimum: 0, examples: [1] }),
      seconds: integer('The sum of the durations.', 31),
    }),
    problems: Type.Array(Type.String(), {
      description: 'What a collecting society would refuse, with the place of the cue.',
      examples: [['cues[0].writers: shares add up to 50 %']],
    }),
  },
  { title: 'CueSheet', description: 'The music in one production. What is unknown is null.' },
);

const CUE_SHEET_ROUTE = {
  ...USAGE_ROUTE,
  method: 'GET',
  errors: ['not_found'],
  query: Type.Object({
    productionId: ownId('Your id of the production, as in the reported syncs.', 'ep-7'),
  }),
} as const;

/** The cue sheet of a production, as JSON and as CSV (docs/contract/usage.md#cue-sheets). */
export function cueSheetRoutes({ cueSheets }: { cueSheets: CueSheetStore }): Route[] {
  return [
    route({
      ...CUE_SHEET_ROUTE,
      operationId: 'readCueSheet',
      path: '/v1/usage/cue-sheet',
      summary: 'Read the cue sheet of a production',
      description:
        'All syncs that you reported of the production in this mode, with the writers and publishers of each track. `problems` names the sides of works whose shares do not make 100 %.',
      data: CueSheetSchema,
      async handle({ query: { productionId }, caller, now }) {
        const { clientId, mode } = caller!;
        return { data: await cueSheets.find({ clientId, mode, productionId, now }) };
      },
    }),
    route({
      ...CUE_SHEET_ROUTE,
      operationId: 'readCueSheetCsv',
      path: '/v1/usage/cue-sheet.csv',
      summary: 'Download the cue sheet of a production as CSV',
      description:
        'RFC 4180 in UTF-8, with a heading: `Sequence`, `Number`, `Title`, `ISRC`, `ISWC`, `Usage`, `StartSeconds`, `DurationSeconds`, `PartyName`, `Role`, `IPI`, `Society`, `SharePercent`, `LicenseNumber`, `Ai`, `AiParts`, `TrainingAllowed`. One row for each cue and interested party, and one for a cue without parties. What is unknown is empty.',
      data: undefined,
      produces: ['text/csv'],
      async handle({ query: { productionId }, caller, now }) {
        const { clientId, mode } = caller!;
        const sheet = await cueSheets.find({ clientId, mode, productionId, now });
        return { body: Buffer.from(cueSheetCsv(sheet)), contentType: 'text/csv; charset=utf-8' };
      },
    }),
  ];
}
