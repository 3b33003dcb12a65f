import { afterAll, beforeAll, expect, it } from 'vitest';
import { ALL_SCOPES } from '../../src/common/caller.ts';
import type { SourceProvenance } from '../../src/features/catalog/provenance.ts';
import { delivery } from '../harness/catalog.ts';
import { mp3 } from '../harness/clips.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { wav } from '../harness/wav.ts';
import { type Reader, readerOf } from './changes-support.ts';

const SAID = { ai: 'none', aiParts: [], trainingAllowed: true, statement: null } as const;
const TRACKS = [delivery(0), delivery(1, { provenance: SAID }), delivery(2)];
const SILENT = [TRACKS[0]!.id, TRACKS[2]!.id].sort();
const PICTURE = Buffer.from('a picture');

let server: TestServer;
let token: string;
let reader: Reader;
beforeAll(async () => {
  server = await startTestServer({ tracks: [] });
  const { media } = server.operator;
  const { key: audioKey } = await media.putBytes(wav(), 'wav');
  const { key: artworkKey } = await media.putBytes(PICTURE, 'png');
  const { key: previewKey } = await media.putBytes(await mp3(1), 'mp3');
  const files = { audioKey, artworkKey, previewKey };
  await server.deliver(TRACKS.map((track) => ({ ...track, ...files })));
  const client = await server.createClient({
    scopes: ALL_SCOPES,
    features: ['previews', 'changes'],
  });
  token = await client.token();
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

  // The analysis of the files changes the tracks, too, at any time.
  const { events: all } = await reader.walk({ cursor });
  const events = all.filter(({ changedFields }) => changedFields?.includes('provenance'));
  expect(events.map(({ trackId }) => trackId).sort()).toEqual(SILENT);
  for (const { type, track } of events) {
    expect(type).toBe('track.updated');
    expect(track).toMatchObject({ provenance: shown });
  }

  await set({ trainingAllowed: null, ai: null });
  await server.until(async () => (await found({ ai: ['unknown'] })).totalRecords === 2);
  expect((await found({})).facets.trainingAllowed).toEqual([
    { trainingAllowed: 'unknown', trackCount: 2 },
    { trainingAllowed: 'true', trackCount: 1 },
  ]);
});

it('media and the snapshot say the default of the source, but not for tracks that say something', async () => {
  const reserved = async (url: string, headers: Record<string, string> = {}, method = 'GET') => {
    const sent = await server.http.send(method, url.slice(server.address.length), headers);
    return [sent.status, sent.headers['tdm-reservation'], sent.headers['content-usage']];
  };
  const tracks = async () => {
    const { items } = await found({ ai: ['unknown', 'none', 'generated'] });
    return TRACKS.map(({ id }) => items.find((item: { id: string }) => item.id === id));
  };
  const [silent, said] = await tracks();
  const none = [200, undefined, undefined];
  for (const url of [silent.streamUrl, silent.previewUrl, silent.artworkUrl]) {
    expect(await reserved(url), url).toEqual(none);
  }
  await set({ trainingAllowed: false });
  await server.until(async () => (await found({ trainingAllowed: 'false' })).totalRecords === 2);
  const all = [200, '1', 'train-ai=n'];
  for (const member of ['streamUrl', 'previewUrl', 'artworkUrl']) {
    expect(await reserved(silent[member]), member).toEqual(all);
    expect(await reserved(silent[member], {}, 'HEAD'), member).toEqual(all);
  }
  expect(await reserved(silent.streamUrl, { range: 'bytes=0-1' })).toEqual([206, ...all.slice(1)]);
  expect(await reserved(said.streamUrl)).toEqual(none);
  // All three tracks have this picture, and two of them reserve it.
  expect(await reserved(said.artworkUrl)).toEqual(all);

  const { body } = await server.call('readTrackSnapshot', { token });
  const lines = body
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const written = new Map(lines.map(({ track }) => [track?.id, track?.provenance.trainingAllowed]));
  expect(TRACKS.map(({ id }) => written.get(id))).toEqual([false, true, false]);
});
