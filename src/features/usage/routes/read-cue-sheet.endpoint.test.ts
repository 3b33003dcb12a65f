import { expect, it } from 'vitest';
import { reportSync, SHEET, WORK } from '../../../../test/endpoints/cue-sheet-support.ts';
import { type EndpointContext, testEndpoint } from '../../../../test/harness/endpoint.ts';
import { setTrackState } from '../../../../test/harness/track-state.ts';
import { ALL_SCOPES, SCOPES } from '../../../common/caller.ts';

const query = { productionId: 'ep-7' };

testEndpoint({
  operationId: 'readCueSheet',
  operation: 'GET /v1/usage/cue-sheet',
  access: { feature: 'usage' },
  async request({ server, featured }) {
    await server.deliver([WORK]);
    await reportSync(server, featured, 'first');
    return { token: featured, query };
  },
  expectResponse({ data }) {
    expect(data).toEqual(SHEET);
  },
  more(context) {
    const sheetOf = async ({ server }: EndpointContext, token: string) =>
      server.call('readCueSheet', { token, query });
    const newClient = ({ server }: EndpointContext) =>
      server.createClient({ scopes: ALL_SCOPES, features: ['usage'] });

    it('accepts only the scope of the feature', async () => {
      const { server } = context();
      const client = await server.createClient({
        scopes: [...SCOPES, 'usage'],
        features: ['usage'],
      });
      const token = await client.token({ scope: 'usage' });
      expect((await sheetOf(context(), token)).status).toBe(404);
      expect((await sheetOf(context(), await client.token({ scope: 'tracks' }))).status).toBe(403);
    });

    it.each([
      ['', 'productionId'],
      ['productionId=', 'productionId'],
      ['productionId=a%20b', 'productionId'],
      [`productionId=${'a'.repeat(101)}`, 'productionId'],
      ['productionId=a&productionId=b', 'productionId'],
      ['productionId=a&page=1', 'page'],
    ])('refuses ?%s', async (bad, field) => {
      const { server, featured } = context();
      const { status, error } = await server.call('readCueSheet', { token: featured, query: bad });
      expect(status).toBe(400);
      expect(error.details).toEqual([expect.objectContaining({ field })]);
    });

    it.each(['readCueSheet', 'readCueSheetCsv'])(
      '%s refuses a malformed time of a test request',
      async (operationId) => {
        const { server, featured } = context();
        const asked = { token: featured, query, headers: { 'X-Stave-Now': 'tomorrow' } };
        const { status, error } = await server.call(operationId, asked);
        expect([status, error.details![0]!.field]).toEqual([400, 'X-Stave-Now']);
      },
    );

    it('shows only what the client reported in this mode, and says the same of all else', async () => {
      const { server, featured } = context();
      const other = await newClient(context());
      const live = await other.token({ mode: 'live' });
      await reportSync(server, live, 'live', { production: { id: 'of-other', title: 'X' } });
      const testToken = await other.token();
      for (const [token, productionId] of [
        [featured, 'of-other'],
        [testToken, 'of-other'],
        [live, 'ep-7'],
        [live, 'nothing'],
      ] as const) {
        const asked = { token, query: { productionId } };
        const { status, error } = await server.call('readCueSheet', asked);
        expect([status, error.type, error.message]).toEqual([
          404,
          'not_found',
          `Nothing is reported of a production ${productionId}.`,
        ]);
      }
    });

    it('has the production as last reported, and the cues in order', async () => {
      const { server } = context();
      const token = await (await newClient(context())).token();
      const at = (startSeconds: number, number?: number) => ({
        cue: { startSeconds, usage: 'VV', ...(number !== undefined && { number }) },
      });
      await reportSync(server, token, 'b', { ...at(9, 3), seconds: 5 });
      await reportSync(server, token, 'a', { ...at(9, 3), seconds: 7 });
      await reportSync(server, token, 'c', at(0));
      const production = { id: 'ep-7', title: 'Harbour Lights II', airDate: '2026-12-24' };
      await reportSync(server, token, 'd', { ...at(9, 2), production });
      const { data } = await sheetOf(context(), token);
      expect(data.production).toEqual(production);
      const shown = data.cues.map(
        ({ sequence, startSeconds, number, durationSeconds }: Record<string, unknown>) =>
          `${sequence} ${startSeconds} ${number} ${durationSeconds}`,
      );
      expect(shown).toEqual(['1 0 null 31', '2 9 2 31', '3 9 3 7', '4 9 3 5']);
      expect(data.totals).toEqual({ cues: 4, seconds: 74 });
    });

    it('shows tracks that were taken down, and what is left of removed ones', async () => {
      const { server } = context();
      const token = await (await newClient(context())).token();
      const id = '0b7d6c1e-54c7-4b5c-8f0d-6f4a2d9e7c33';
      await server.deliver([{ ...WORK, id, externalId: 'gone', source: 'gone' }]);
      await server.until(async () => {
        const track = await server.call('showTrack', { token, params: { slug: id } });
        return track.status === 200;
      });
      await reportSync(server, token, 'a', { trackId: id });
      const { catalog } = server.operator.store;
      await setTrackState(server.operator.store, id, 'taken_down', 'test:harness');
      expect((await sheetOf(context(), token)).data.cues[0]).toMatchObject({
        trackId: id,
        writers: [{ name: 'Mara Lindt' }],
      });
      await catalog.removeSource('gone', 'test:harness');
      const { data } = await sheetOf(context(), token);
      expect(data.cues[0]).toMatchObject({
        trackId: id,
        title: WORK.name,
        isrc: WORK.isrc,
        iswc: null,
        provenance: null,
        writers: [],
        publishers: [],
      });
      expect(data.problems).toEqual([
        'cues[0].writers: no shares are known',
        'cues[0].publishers: no shares are known',
      ]);
    });
  },
});
