import { randomBytes } from 'node:crypto';
import type { Actor } from '../../common/caller.ts';
import type { Clock } from '../../common/clock.ts';
import { newId } from '../../common/ids.ts';
import type { Change } from '../../engines/change-log/change-log.ts';
import type { KeyPurpose, SigningKey } from './client.ts';
import type { KeyStore } from './store/key-store.ts';

/**
 * How long a retired key still verifies: the lifetime of its last signature
 * (docs/contract/authentication.md#signing-keys).
 */
const RETIRED_KEY_SECONDS = 3600;

const PURPOSES: readonly KeyPurpose[] = ['token', 'url'];

/**
 * The signing keys in memory. The newest live key of a purpose signs; a retired key verifies for another
 * 3,600 s. Reads are synchronous and do no I/O.
 */
export class KeyRing {
  readonly #store: KeyStore;
  readonly #clock: Clock;
  #byPurpose: Record<KeyPurpose, SigningKey[]> = { token: [], url: [] };

  constructor(deps: { keys: KeyStore; clock: Clock }) {
    this.#store = deps.keys;
    this.#clock = deps.clock;
  }

  /** Loads the keys, and creates missing ones. Call it once, before the first request. */
  async open(by: Actor): Promise<void> {
    await this.#store.ensure(newKeys(this.#clock), by);
    await this.#reload();
  }

  /** Reloads the keys if a change concerns them. It may be repeated. */
  async apply(changes: readonly Change[]): Promise<void> {
    if (changes.some((change) => change.entity === 'key')) await this.#reload();
  }

  signing(purpose: KeyPurpose): SigningKey {
    const key = this.#byPurpose[purpose].find((candidate) => candidate.retiredAt === null);
    if (key === undefined) throw new Error(`there is no live ${purpose} key`);
    return key;
  }

  /** The keys whose signatures are valid, newest first. */
  verifying(purpose: KeyPurpose): readonly SigningKey[] {
    return this.#byPurpose[purpose].filter((key) => this.#verifies(key));
  }

  /** The key of an id; undefined if its signatures are no longer valid. */
  find(purpose: KeyPurpose, id: string): SigningKey | undefined {
    const key = this.#byPurpose[purpose].find((candidate) => candidate.id === id);
    return key !== undefined && this.#verifies(key) ? key : undefined;
  }

  #verifies(key: SigningKey): boolean {
    return key.retiredAt === null || this.#clock.now() < key.retiredAt + RETIRED_KEY_SECONDS * 1000;
  }

  async #reload(): Promise<void> {
    const all = await this.#store.all();
    const known = new Map(
      Object.values(this.#byPurpose)
        .flat()
        .map((key) => [key.id, key]),
    );
    // An unchanged key stays the same object, so that values derived from it can be cached by it.
    const keys = all.map((key) => {
      const before = known.get(key.id);
      return before?.retiredAt === key.retiredAt ? before : key;
    });
    this.#byPurpose = {
      token: keys.filter((key) => key.purpose === 'token'),
      url: keys.filter((key) => key.purpose === 'url'),
    };
  }
}

/**
 * Retires the signing keys and adds a new one for each purpose, in one step. Tokens and URLs stay valid: a
 * retired key verifies until everything that it signed has expired.
 */
export async function rotateKeys(
  deps: { keys: KeyStore; clock: Clock },
  by: Actor,
): Promise<{ tokenKeyId: string; urlKeyId: string }> {
  const keys = newKeys(deps.clock);
  await deps.keys.rotate(keys, deps.clock.now() - RETIRED_KEY_SECONDS * 1000, by);
  const idOf = (purpose: KeyPurpose) => keys.find((key) => key.purpose === purpose)!.id;
  return { tokenKeyId: idOf('token'), urlKeyId: idOf('url') };
}

function newKeys(clock: Clock): SigningKey[] {
  return PURPOSES.map((purpose) => ({
    id: newId(),
    purpose,
    secret: randomBytes(32),
    createdAt: clock.now(),
    retiredAt: null,
  }));
}
