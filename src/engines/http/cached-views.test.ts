import Type from 'typebox';
import { expect, it } from 'vitest';
import { startFeatureServer, tokenOf } from '../../../test/harness/feature-server.ts';
import { ResponseCache } from './response/response-cache.ts';
import { route } from './route/route.ts';

const showThing = route({
  operationId: 'showThing',
  method: 'GET',
  path: '/v1/thing',
  tag: 'Tracks',
  summary: 'Show',
  description: 'A thing.',
  access: { scope: 'tracks' },
  errors: [],
  data: Type.Object({ previews: Type.Boolean() }),
  cacheable: true,
  handle: ({ caller }) => ({ data: { previews: caller!.features.has('previews') } }),
});

it('shares a cached response only among callers that see the same', async () => {
  const server = await startFeatureServer([showThing], {
    responseCache: new ResponseCache({ maxBytes: 100_000, catalogVersion: () => 1 }),
  });
  const show = async (client: string, features: readonly string[]) =>
    (await server.call('showThing', { token: tokenOf({ client, features }) })).data;
  // A response is cached when it is requested for the second time.
  for (let i = 0; i < 4; i++) {
    expect(await show('one', ['previews'])).toEqual({ previews: true });
    expect(await show('one', [])).toEqual({ previews: false });
    expect(await show('two', ['changes', 'previews'])).toEqual({ previews: true });
  }
  await server.close();
});
