import { timingSafeEqual } from 'node:crypto';
import { MAX_LIVE_SECRETS, MODES, type Mode } from './client.ts';
import type { ClientRegistry, RegisteredClient } from './registry.ts';
import { hashSecret, isWellFormedSecret } from './secret.ts';

/** What a good id and secret show. */
export interface AuthenticatedClient {
  client: RegisteredClient;
  secretId: string;
  mode: Mode;
}

/** How many comparisons every check makes at least: as many as a client can have live secrets. */
const COMPARISONS = MODES.length * MAX_LIVE_SECRETS;
/** No text hashes to this that anybody could find. */
const NOBODYS_HASH = Buffer.alloc(32);

/**
 * The client behind an id and a secret; undefined where there is none such, where the secret is
 * wrong or revoked, and where the client is disabled. All of these do the same work (decisions §2):
 * one hash and a full round of comparisons, so that the time of the answer tells them not apart.
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
  /** Compares two hashes in constant time; tests count its calls. */
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
