import type { Actor } from '../kernel/actor.ts';
import type { Client, ClientSecret, SigningKey } from './client.ts';

/** Clients and their secrets in the system of record. Unknown ids throw not_found. */
export interface ClientStore {
  /** Stores it with its secrets and grants; throws conflict where there is one of its id. */
  create(client: Client, by: Actor): Promise<void>;
  /** Ordered by creation, then id. */
  all(): Promise<Client[]>;
  get(id: string): Promise<Client | undefined>;
  /** Logs `updated`, and `enabled` or `disabled`, for what really changed. */
  update(
    id: string,
    change: Partial<Pick<Client, 'name' | 'scopes' | 'features' | 'rateLimit' | 'enabled'>>,
    by: Actor,
  ): Promise<Client>;
  /** Throws conflict when the client already has two live secrets in that mode; checked under the lock. */
  addSecret(id: string, secret: ClientSecret, by: Actor): Promise<void>;
  /** False when it was revoked already. */
  revokeSecret(id: string, secretId: string, by: Actor): Promise<boolean>;
  /** Deletes the client with its secrets and grants; false when there is none. */
  delete(id: string, by: Actor): Promise<boolean>;
}

/** Signing keys in the system of record. */
export interface KeyStore {
  /** All keys that were not forgotten, newest first; for each purpose one is not retired. */
  all(): Promise<SigningKey[]>;
  /** Stores the keys if there are none yet; two processes at once agree on one set. */
  ensure(keys: readonly SigningKey[], by: Actor): Promise<void>;
  /** Retires every live key and adds these, in one transaction; forgets keys retired before the given time. */
  rotate(keys: readonly SigningKey[], forgetRetiredBefore: number, by: Actor): Promise<void>;
}
