import { systemClock } from '../../../src/common/clock.ts';
import { createClient } from '../../../src/features/access/clients.ts';
import type { Store } from '../../../src/features/store.ts';
import { BY } from '../../harness/deliveries.ts';
import { until } from '../../harness/until.ts';
import type { Node } from './node.ts';
import { repeated } from './repeated.ts';

/** The credentials of a client. */
export interface Credentials {
  client_id: string;
  client_secret: string;
}

/** Creates a client and returns its live credentials. */
export async function newCredentials(
  store: Store,
  rateLimit: number,
  terms: { scopes: readonly string[]; features?: readonly string[] } = {
    scopes: ['tracks', 'search', 'filters', 'playlists'],
  },
): Promise<Credentials> {
  const deps = { store, clock: systemClock, by: BY };
  const { clientId, liveSecret } = await repeated(() =>
    createClient(deps, { name: 'Partner', rateLimit, ...terms }),
  );
  return { client_id: clientId, client_secret: liveSecret };
}

/** Returns a token of the client, as soon as the node knows the client. */
export async function tokenOf(node: Node, credentials: Credentials): Promise<string> {
  const body = { grant_type: 'client_credentials', ...credentials };
  let token = '';
  await until(async () => {
    const reply = await node.send('POST', '/v1/auth/token', { body });
    if (reply.status === 200) token = JSON.parse(reply.body).data.access_token;
    return token !== '';
  }, 'a token');
  return token;
}
