import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '../../src/app/open/open-sqlite.ts';
import { Follower } from '../../src/engines/change-log/follower.ts';
import { type ClientDependencies, createClient } from '../../src/features/access/clients.ts';
import { KeyRing } from '../../src/features/access/key-ring.ts';
import { LoginThrottle } from '../../src/features/access/login-throttle.ts';
import { ACCESS_ENTITIES, ClientRegistry } from '../../src/features/access/registry.ts';
import { TokenIssuer, TokenVerifier } from '../../src/features/access/tokens.ts';
import { TestClock } from './clock.ts';

/** The classes of clients and tokens on a real store in its own folder, with a clock that the test advances. */
export type Access = Awaited<ReturnType<typeof openAccess>>;

export async function openAccess() {
  const folder = await mkdtemp(join(tmpdir(), 'stave-access-'));
  const clock = new TestClock();
  const store = await openSqliteStore({ path: join(folder, 'stave.db'), clock });
  /** The views of clients and keys that a node keeps, and what updates them. */
  const openNode = async () => {
    const keyRing = new KeyRing({ keys: store.keys, clock });
    const registry = new ClientRegistry(store);
    const follower = new Follower({
      log: store.changes,
      entities: ACCESS_ENTITIES,
      from: await store.changes.head(),
      async apply(changes) {
        await keyRing.apply(changes);
        await registry.apply(changes);
      },
      onError(error) {
        throw error;
      },
    });
    await keyRing.open('test');
    await registry.load();
    return {
      clock,
      keyRing,
      registry,
      async catchUp() {
        await follower.poll();
      },
    };
  };
  const { keyRing, registry, catchUp } = await openNode();
  const deps: ClientDependencies = { store, clock, by: 'test' };
  return {
    clock,
    store,
    deps,
    keyRing,
    registry,
    issuer: new TokenIssuer({ keyRing, clock }),
    verifier: new TokenVerifier({ keyRing, registry, clock }),
    loginThrottle: new LoginThrottle({ clock }),
    /** Does what a running service does within a second. Here it happens only when the test calls it. */
    catchUp,
    /** Opens one more node on the same store, whose views are current. */
    anotherNode: openNode,
    /** Creates a client that the registry already has. */
    async newClient(overrides: Partial<Parameters<typeof createClient>[1]> = {}) {
      const client = await createClient(deps, { name: 'Tester', scopes: ['search'], ...overrides });
      await catchUp();
      return client;
    },
    /** A token that the client's first live secret gets in that mode, with all scopes of the client. */
    async newToken(clientId: string, mode: 'test' | 'live' = 'test') {
      const client = registry.find(clientId)!;
      const secret = [...client.liveSecrets.values()].find((one) => one.mode === mode)!;
      const scopes = [...client.scopes];
      return this.issuer.issue({ client, secretId: secret.id, mode, scopes });
    },
    async close() {
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}
