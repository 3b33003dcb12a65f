import { expect, it } from 'vitest';
import { reportSync, WORK } from '../../../../test/endpoints/cue-sheet-support.ts';
import { testEndpoint } from '../../../../test/harness/endpoint.ts';
import { SCOPES } from '../../../common/caller.ts';

const query = { productionId: 'ep-7' };

const CSV = [
  'Sequence,Number,Title,ISRC,ISWC,Usage,StartSeconds,DurationSeconds,PartyName,Role,IPI,Society,SharePercent,LicenseNumber,Ai,AiParts,TrainingAllowed',
  `1,1,${WORK.name},QZES72400137,T-034.524.680-1,BI,62,31,Mara Lindt,CA,00014107338,GEMA,50.00,,assisted,lyrics,no`,
  `1,1,${WORK.name},QZES72400137,T-034.524.680-1,BI,62,31,"North, ""Inc""",E,,,100.00,,assisted,lyrics,no`,
  '',
];

testEndpoint({
  operationId: 'readCueSheetCsv',
  operation: 'GET /v1/usage/cue-sheet.csv',
  access: { feature: 'usage' },
  async request({ server, featured }) {
    await server.deliver([WORK]);
    await reportSync(server, featured, 'first');
    return { token: featured, query };
  },
  expectResponse({ headers, body }) {
    expect(headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(body.toString().split('\r\n')).toEqual(CSV);
  },
  more(context) {
    it('accepts only the scope of the feature', async () => {
      const { server } = context();
      const client = await server.createClient({
        scopes: [...SCOPES, 'usage'],
        features: ['usage'],
      });
      for (const [scope, status] of [
        ['usage', 404],
        ['tracks', 403],
      ] as const) {
        const token = await client.token({ scope });
        expect((await server.call('readCueSheetCsv', { token, query })).status).toBe(status);
      }
    });

    it.each([
      ['', 'productionId'],
      ['productionId=%00', 'productionId'],
      ['productionId=a&language=de', 'language'],
    ])('refuses ?%s', async (bad, field) => {
      const { server, featured } = context();
      const asked = { token: featured, query: bad };
      const { status, error } = await server.call('readCueSheetCsv', asked);
      expect(status).toBe(400);
      expect(error.details).toEqual([expect.objectContaining({ field })]);
    });

    it('ignores Accept, and answers HEAD without a body', async () => {
      const { server, featured } = context();
      const headers = { Authorization: `Bearer ${featured}`, Accept: 'application/json' };
      const path = '/v1/usage/cue-sheet.csv?productionId=ep-7';
      expect((await server.http.send('GET', path, headers)).status).toBe(200);
      const head = await server.http.send('HEAD', path, headers);
      expect(head).toMatchObject({ status: 200, body: Buffer.alloc(0) });
      expect(head.headers['content-length']).toBe(String(CSV.join('\r\n').length));
    });
  },
});
