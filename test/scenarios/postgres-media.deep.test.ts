import { hash } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { ALL_SCOPES } from '../../src/common/caller.ts';
import { delivery } from '../harness/catalog.ts';
import { createDatabase, POSTGRES_URL } from '../harness/services.ts';
import { openLink } from '../harness/tcp-link.ts';
import { startTestServer } from '../harness/test-server.ts';
import { until } from '../harness/until.ts';
import { wav } from '../harness/wav.ts';

const disposals: (() => PromiseLike<unknown>)[] = [];
afterEach(async () => {
  for (const dispose of disposals.splice(0).toReversed()) await dispose();
});

describe.skipIf(POSTGRES_URL === undefined)('while the database is unavailable', () => {
  it('a node sends the streams, parts and archives that it has sent before', async () => {
    const own = await createDatabase();
    disposals.push(() => own.drop());
    const url = new URL(own.url);
    const link = await openLink(Number(url.port || 5432));
    disposals.push(() => link[Symbol.asyncDispose]());
    url.port = String(link.port);
    const audio = wav(1_000);
    const audioKey = `${hash('sha256', audio)}.wav`;
    const part = { name: null, durationSeconds: 1, audioKey, sizeBytes: audio.length };
    const stems = ['drums', 'bass'].map((kind) => ({ ...part, kind }));
    // They are stored before the node starts: a change that it follows later would make it forget what it has sent.
    const tracks = [0, 1].map((number) => delivery(number, { stems, audioKey }));
    const server = await startTestServer({
      tracks,
      config: {
        database: { url: url.href, pool: 4 },
        // The node is not stale during the test, however long that takes.
        staleLimitSeconds: 3_600,
      },
    });
    disposals.push(() => server.close());
    disposals.push(async () => link.mend());
    await server.operator.media.putBytes(audio, 'wav');
    const client = await server.createClient({ scopes: ALL_SCOPES, features: ['stems'] });
    const urls: string[][] = [];
    for (const { id } of tracks) {
      const options = { token: await client.token(), params: { slug: id } };
      const { streamUrl } = (await server.call('showTrack', options)).data;
      const parts = (await server.call('listStems', options)).data;
      urls.push([streamUrl, parts.stems[0].url, parts.archiveUrl]);
    }
    const [sent, others] = urls as [string[], string[]];
    const statuses = (some: string[]) =>
      Promise.all(some.map(async (one) => (await fetch(one)).status));
    expect(await statuses(sent)).toEqual([200, 200, 200]);

    link.cut();
    await until(async () => (await statuses(others)).join() === '503,503,503');
    expect(await statuses(sent)).toEqual([200, 200, 200]);

    link.mend();
    await until(async () => (await statuses(others)).join() === '200,200,200');
  });
});
