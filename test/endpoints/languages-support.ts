import { afterAll, beforeAll } from 'vitest';
import type { Feature } from '../../src/common/caller.ts';
import { ALL_SCOPES } from '../../src/common/caller.ts';
import type { TrackDelivery } from '../../src/features/catalog/track.ts';
import type { CallOptions, CheckedResponse } from '../harness/call.ts';
import { deliveries } from '../harness/catalog.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

/** The tracks of the tests: the first ones have texts in other languages. */
function translatedDeliveries(count = 8): TrackDelivery[] {
  return deliveries(count).map((delivery, i) => ({ ...delivery, ...TEXTS[i] }));
}

const TEXTS: readonly Partial<TrackDelivery>[] = [
  {
    name: 'Night Ferry',
    tags: ['piano'],
    translations: [
      { language: 'de', name: 'Nachtfähre', tags: ['Klavier'] },
      { language: 'de-CH', name: 'Nachtschiff', tags: null },
      { language: 'zh-Hant', name: '夜渡', tags: null },
    ],
  },
  { translations: [{ language: 'fr', name: 'Lever du soleil', tags: ['aube'] }] },
  { language: 'pt-BR' },
  { language: 'i-klingon', translations: [{ language: 'de', name: 'Regen', tags: [] }] },
];

/** A server whose catalog has texts in several languages, and clients with and without localization. */
export interface LanguageBench {
  server: TestServer;
  /** The token of a client with localization and all other features. */
  localized: string;
  /** The token of a client with all features except localization. */
  plain: string;
  /** Performs an operation with the first token. */
  ask(operationId: string, options?: CallOptions): Promise<CheckedResponse>;
}

const OTHERS: readonly Feature[] = [
  'changes',
  'usage',
  'similar',
  'webhooks',
  'previews',
  'saved-searches',
  'licensing',
  'stems',
];

/** Starts the server for the tests of a file. */
export function useLanguageBench(): () => LanguageBench {
  let bench: LanguageBench | undefined;
  beforeAll(async () => {
    const server = await startTestServer({ tracks: translatedDeliveries() });
    const tokenWith = async (features: readonly Feature[]) => {
      const client = await server.createClient({ scopes: ALL_SCOPES, features });
      return client.token();
    };
    const localized = await tokenWith([...OTHERS, 'localization']);
    const plain = await tokenWith(OTHERS);
    bench = {
      server,
      localized,
      plain,
      ask: (operationId, options) => server.call(operationId, { token: localized, ...options }),
    };
  });
  afterAll(() => bench?.server.close());
  return () => bench!;
}
