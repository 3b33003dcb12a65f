import { afterAll, beforeAll, expect, it } from 'vitest';
import { delivery } from '../harness/catalog.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

let server: TestServer;
beforeAll(async () => {
  const named = (name: string, tags: string[]) => ({ name, tags, type: 'music' as const });
  server = await startTestServer({
    tracks: [delivery(1, named('One', ['harp'])), delivery(2, named('Two', []))],
  });
});
afterAll(() => server?.close());

it('a running service uses imported synonyms, also for briefs that it has answered', async () => {
  const token = await (await server.createClient()).token();
  const found = async () => {
    const { data } = await server.call('searchTracks', { token, body: { brief: 'zitherish' } });
    return (data as { items: { name: string }[] }).items.map(({ name }) => name);
  };
  expect(await found()).toEqual([]);
  const { synonyms } = server.operator.store;
  await synonyms.replace([{ term: 'zither*', names: ['Harp'] }], 'test:cli');
  await server.until(async () => (await found()).length > 0);
  expect(await found()).toEqual(['One']);
  await synonyms.replace([], 'test:cli');
  await server.until(async () => (await found()).length === 0);
});
