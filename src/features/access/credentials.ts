import { timingSafeEqual } from 'node:crypto';
import { MODES, type Mode } from '../../common/caller.ts';
import type { NamedClient } from '../../common/errors.ts';
import { isUuid } from '../../common/ids.ts';
import { MAX_LIVE_SECRETS } from './client.ts';
import type { ClientRegistry, RegisteredClient } from './registry.ts';
import { hashSecret, isWellFormedSecret } from './secret.ts';

export interface AuthenticatedClient {
  client: RegisteredClient;
  secretId: string;
  mode: Mode;
}

/** The least number of comparisons of every check: as many as a client can have live secrets. */
const COMPARISONS = MODES.length * MAX_LIVE_SECRETS;
/** No known text has this hash. */
const NOBODYS_HASH = Buffer.alloc(32);

/**
 * The client of an id and a secret; undefined if the client is unknown or disabled, or the secret is wrong or
 * revoked. All of these cases do the same work (docs/contract/authentication.md#failed-authentication), one
 * hash and a full round of comparisons, so that the response time does not distinguish them.
 */
export function checkCredentials({
  registry,
  clientId,
  secret,
  equal = timingSafeEqual,
}: {
  registry: Pick<ClientRegistry, 'find'>;
  clientId: string;
  secret: string;
  /** Compares two hashes in constant time. Tests count its calls. */
  equal?: (a: Buffer, b: Buffer) => boolean;
}): AuthenticatedClient | undefined {
  const client = isWellFormedSecret(secret) ? registry.find(clientId) : undefined;
  const hash = Buffer.from(hashSecret(secret), 'hex');
  const live = [...(client?.liveSecrets.values() ?? [])];
  let found: AuthenticatedClient | undefined;
  for (let i = 0; i < Math.max(COMPARISONS, live.length); i++) {
    const candidate = live[i];
    const matches = equal(hash, candidate?.hash ?? NOBODYS_HASH);
    if (matches && client !== undefined && candidate !== undefined) {
      found = { client, secretId: candidate.id, mode: candidate.mode };
    }
  }
  return found?.client.enabled ? found : undefined;
}

/**
 * Returns the client that refused credentials name, for the log, and the secret if it is one of the client that was
 * revoked, or whose client is disabled. Undefined if the id has not the form of one.
 */
export function namedClient(
  registry: Pick<ClientRegistry, 'find'>,
  { clientId, secret }: { clientId: string; secret: string },
): NamedClient | undefined {
  if (!isUuid(clientId)) return undefined;
  // Hashed also for an unknown client, whose answer must take the same time.
  const hash = hashSecret(secret);
  return { clientId, secretId: registry.find(clientId)?.secretIds.get(hash) };
}
