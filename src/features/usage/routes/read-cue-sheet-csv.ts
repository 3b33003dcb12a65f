import { API_VERSION } from '../../../common/version.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import { cueSheetCsv, readCueSheet } from '../cue-sheet.ts';
import type { CueSheetStore } from '../store/cue-sheet-store.ts';
import { cueSheetQuery } from './read-cue-sheet.ts';

/** GET /v1/usage/cue-sheet.csv: the cue sheet of a production as CSV (docs/contract/usage.md#cue-sheets). */
export function readCueSheetCsv({ cueSheets }: { cueSheets: CueSheetStore }): Route {
  return route({
    operationId: 'readCueSheetCsv',
    method: 'GET',
    path: '/v1/usage/cue-sheet.csv',
    version: API_VERSION,
    tag: 'Usage',
    summary: 'Download the cue sheet of a production as CSV',
    description:
      'RFC 4180 in UTF-8, with a heading: `Sequence`, `Number`, `Title`, `ISRC`, `ISWC`, `Usage`, `StartSeconds`, `DurationSeconds`, `PartyName`, `Role`, `IPI`, `Society`, `SharePercent`, `LicenseNumber`. One row for each cue and interested party, and one for a cue without parties. What is unknown is empty.',
    access: { scope: 'usage', feature: 'usage' },
    errors: ['not_found'],
    requestHeaders: ['X-Stave-Now'],
    query: cueSheetQuery,
    data: undefined,
    produces: ['text/csv'],
    async handle({ query: { productionId }, caller, now }) {
      const { clientId, mode } = caller!;
      const sheet = await readCueSheet(cueSheets, { clientId, mode, productionId, now });
      return { body: Buffer.from(cueSheetCsv(sheet)), contentType: 'text/csv; charset=utf-8' };
    },
  });
}
