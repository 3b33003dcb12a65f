/**
 * The limit with the same server: the HTTP layer of Stave, with token, rate limiter and headers, and a route that
 * sends one constant Buffer. Job: `{"sizeBytes", "folder"}` as the argument; the folder is for its own database.
 * Prints `{"port", "authorization"}`, and stops on SIGTERM.
 */
import { join } from 'node:path';
import { openSqliteStore } from '../../src/app/open/open-sqlite.ts';
import { systemClock as clock } from '../../src/common/clock.ts';
import { silentLog as log } from '../../src/common/log.ts';
import { createAuthenticate } from '../../src/engines/http/guard/authorize.ts';
import { Metrics } from '../../src/engines/http/metrics/metrics.ts';
import { Readiness } from '../../src/engines/http/readiness.ts';
import { route } from '../../src/engines/http/route/route.ts';
import { buildServer } from '../../src/engines/http/server.ts';
import { MemoryRateLimiter } from '../../src/engines/limits/memory-rate-limiter.ts';
import { createClient } from '../../src/features/access/clients.ts';
import { KeyRing } from '../../src/features/access/key-ring.ts';
import { ClientRegistry } from '../../src/features/access/registry.ts';
import { TokenIssuer, TokenVerifier } from '../../src/features/access/tokens.ts';

const { sizeBytes, folder } = JSON.parse(process.argv[2]!) as { sizeBytes: number; folder: string };
const store = await openSqliteStore({ path: join(folder, 'constant.db'), clock });
const { clientId } = await createClient(
  { store, clock, by: 'bench' },
  { name: 'Bench', scopes: ['tracks'], rateLimit: 1_000_000 },
);
const keyRing = new KeyRing({ keys: store.keys, clock });
await keyRing.open('bench');
const registry = new ClientRegistry(store);
await registry.load();
const client = registry.find(clientId)!;
const [secret] = client.liveSecrets.values();
const token = await new TokenIssuer({ keyRing, clock }).issue({
  client,
  secretId: secret!.id,
  mode: secret!.mode,
  scopes: ['tracks'],
});

const envelope = Buffer.alloc(sizeBytes, 'x');
const readiness = new Readiness();
const verifier = new TokenVerifier({ keyRing, registry, clock });
const app = buildServer({
  routes: [
    route({
      operationId: 'listTracks',
      method: 'GET',
      path: '/v1/tracks',
      tag: 'Tracks',
      summary: 'Constant bytes',
      description: '',
      access: { scope: 'tracks' },
      errors: [],
      // A binary route reads no query string, so every request gets these bytes.
      data: undefined,
      handle: () => ({ envelope }),
    }),
  ],
  authenticate: createAuthenticate((token) => verifier.verify(token)),
  rateLimiter: new MemoryRateLimiter({ clock }),
  metrics: new Metrics(),
  readiness,
  clock,
  log,
  tls: null,
  publicUrl: () => 'https://api.example.org',
  trustProxy: false,
});
app.addHook('onClose', () => store.close());
const address = await app.listen({ port: 0, host: '127.0.0.1' });
readiness.serve();
process.stdout.write(
  `${JSON.stringify({ port: Number(new URL(address).port), authorization: `Bearer ${token}` })}\n`,
);
process.on('SIGTERM', () => app.close());
