import type { Actor } from '../../common/caller/actor.ts';
import type { Client, ClientSecret, SigningKey } from './client.ts';

/** The members of a client that an update may change. */
export type ClientChange = Partial<
  Pick<Client, 'name' | 'scopes' | 'features' | 'rateLimit' | 'account' | 'rateCard' | 'enabled'>
>;

/** Whether the names of new clients must differ from those of the stored ones. */
export interface NameRule {
  /** Checked under the write lock. */
  isNewName: boolean;
}

/** Clients and their secrets in the system of record. Unknown ids throw not_found. */
export interface ClientStore {
  /** Stores a client with its secrets and grants. Throws conflict if the id is in use, or the name if it must be new. */
  create(client: Client, by: Actor, rule?: NameRule): Promise<void>;
  /**
   * Stores up to 500 new clients with their secrets, without grants, in one transaction. Their ids must be new. Throws
   * conflict if a name must be new and a stored client has it.
   */
  createAll(clients: readonly Client[], by: Actor, rule?: NameRule): Promise<void>;
  /** All clients, ordered by creation and then by id. */
  all(): Promise<Client[]>;
  get(id: string): Promise<Client | undefined>;
  /**
   * Updates a client. Logs `updated`, and `enabled` or `disabled`, for actual differences only.
   *
   * @param change the new members, or a function that returns them from the stored client. It is called under the
   * write lock, and again if the transaction is repeated.
   */
  update(
    id: string,
    change: ClientChange | ((client: Client) => ClientChange),
    by: Actor,
  ): Promise<Client>;
  /**
   * Adds a secret. Throws conflict if the client has two live secrets in the mode; this is checked under the
   * write lock.
   */
  addSecret(id: string, secret: ClientSecret, by: Actor): Promise<void>;
  /** Revokes a secret. Returns false if it is revoked already. */
  revokeSecret(id: string, secretId: string, by: Actor): Promise<boolean>;
  /** Deletes a client with its secrets, grants and collections. Returns false if there is none. */
  delete(id: string, by: Actor): Promise<boolean>;
}

/** Signing keys in the system of record. */
export interface KeyStore {
  /** All keys that were not deleted, newest first. One key of each purpose is not retired. */
  all(): Promise<SigningKey[]>;
  /** Stores the keys if there are none. If two processes do so at once, both use the same keys afterwards. */
  ensure(keys: readonly SigningKey[], by: Actor): Promise<void>;
  /**
   * Retires all live keys, adds these, and deletes the keys that were retired before the given time, in one
   * transaction.
   */
  rotate(keys: readonly SigningKey[], forgetRetiredBefore: number, by: Actor): Promise<void>;
}
