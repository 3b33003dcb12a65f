import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SourceProvenance } from '../../src/features/catalog/provenance.ts';
import { delivery } from '../harness/catalog.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { type Reader, readerOf } from './changes-support.ts';

const SAID = { ai: 'none', aiParts: [], trainingAllowed: true, statement: null } as const;
const TRACKS = [delivery(0), delivery(1, { provenance: SAID }), delivery(2)];
const SILENT = [TRACKS[0]!.id, TRACKS[2]!.id].sort();

let server: TestServer;
let token: string;
let reader: Reader;
beforeAll(async () => {
  server = await startTestServer({ tracks: TRACKS });
  token = await (await server.createClient()).token();
  reader = await readerOf(server);
});
afterAll(() => server?.close());

const set = (given: Partial<SourceProvenance>) =>
  server.operator.store.sourceProvenance.set(TRACKS[0]!.source, given, 'test:harness');

async function found(query: Record<string, unknown>) {
  const all = { pageSize: 100, facets: true };
  return (await server.call('listTracks', { token, query: { ...query, ...all } })).data;
}

it('the default of a source is found, counted, shown, sent and fed at once', async () => {
  const cursor = await reader.end();
  await set({ trainingAllowed: false, ai: 'generated' });
  await server.until(async () => (await found({ trainingAllowed: 'false' })).totalRecords === 2);

  const { items, facets } = await found({ ai: 'generated' });
  expect(items.map(({ id }: { id: string }) => id).sort()).toEqual(SILENT);
  const shown = { ai: 'generated', aiParts: [], trainingAllowed: false, statement: null };
  for (const { provenance } of items) expect(provenance).toEqual(shown);
  expect(facets.ai).toEqual([
    { ai: 'generated', trackCount: 2 },
    { ai: 'none', trackCount: 1 },
  ]);
  const [slug] = items.map((item: { slug: string }) => item.slug);
  const { data } = await server.call('showTrack', { token, params: { slug } });
  expect(data.provenance).toEqual(shown);

  const { events } = await reader.walk({ cursor });
  expect(events.map(({ trackId }) => trackId).sort()).toEqual(SILENT);
  for (const { type, changedFields, track } of events) {
    expect([type, changedFields]).toEqual(['track.updated', ['provenance']]);
    expect(track).toMatchObject({ provenance: shown });
  }

  await set({ trainingAllowed: null, ai: null });
  await server.until(async () => (await found({ ai: ['unknown'] })).totalRecords === 2);
  expect((await found({})).facets.trainingAllowed).toEqual([
    { trainingAllowed: 'unknown', trackCount: 2 },
    { trainingAllowed: 'true', trackCount: 1 },
  ]);
});
