import type { Clock } from '../../common/clock.ts';
import { type Requests, type SecretUse, since } from './client-requests.ts';
import type { ClientRequestStore } from './store/client-request-store.ts';

/** How a client, or one of its secrets, was used. */
export interface Use {
  /** In milliseconds since the epoch; null if it was never used, as far as it was counted. */
  lastUsedAt: number | null;
  lastHour: Requests;
  lastDay: Requests;
}

/** How clients were used. */
export interface Uses {
  ofClient(clientId: string): Use;
  ofSecret(secretId: string): Use;
}

const NEVER: Use = {
  lastUsedAt: null,
  lastHour: { requests: 0, limited: 0 },
  lastDay: { requests: 0, limited: 0 },
};

/** Reads how all clients were used, or one. */
export async function readUses(
  { store, clock }: { store: { clientRequests: ClientRequestStore }; clock: Clock },
  clientId?: string,
): Promise<Uses> {
  const secrets = await store.clientRequests.uses(since(clock.now()), clientId);
  const byClient = Map.groupBy(secrets, (secret) => secret.clientId);
  const bySecret = new Map(secrets.map((secret) => [secret.secretId, secret]));
  return {
    ofClient: (id) => (byClient.get(id) ?? []).reduce(sum, NEVER),
    ofSecret: (id) => bySecret.get(id) ?? NEVER,
  };
}

function sum(a: Use, b: SecretUse): Use {
  return {
    lastUsedAt: Math.max(a.lastUsedAt ?? 0, b.lastUsedAt),
    lastHour: add(a.lastHour, b.lastHour),
    lastDay: add(a.lastDay, b.lastDay),
  };
}

function add(a: Requests, b: Requests): Requests {
  return { requests: a.requests + b.requests, limited: a.limited + b.limited };
}
