import { randomBytes } from 'node:crypto';
import type { Change } from '../changes/change-log.ts';
import type { Actor } from '../kernel/actor.ts';
import type { Clock } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import type { KeyPurpose, SigningKey } from './client.ts';
import type { KeyStore } from './store.ts';

/** How long a retired key still verifies: the life of what it signed last (decisions §2). */
const RETIRED_KEY_SECONDS = 3600;

const PURPOSES: readonly KeyPurpose[] = ['token', 'url'];

/**
 * The signing keys, in memory. The newest live key of a purpose signs; a retired one verifies for
 * another 3,600 s. Reads are synchronous and cost no I/O.
 */
export class KeyRing {
  readonly #store: KeyStore;
  readonly #clock: Clock;
  #byPurpose: Record<KeyPurpose, SigningKey[]> = { token: [], url: [] };

  constructor(deps: { keys: KeyStore; clock: Clock }) {
    this.#store = deps.keys;
    this.#clock = deps.clock;
  }

  /** Loads the keys, making a first set where there is none. Once, before the first request. */
  async open(by: Actor): Promise<void> {
    await this.#store.ensure(newKeys(this.#clock), by);
    await this.#reload();
  }

  /** Follows the change log: reloads when a change concerns the keys. Safe to repeat. */
  async apply(changes: readonly Change[]): Promise<void> {
    if (changes.some((change) => change.entity === 'key')) await this.#reload();
  }

  /** The key that signs now. */
  signing(purpose: KeyPurpose): SigningKey {
    const key = this.#byPurpose[purpose].find((candidate) => candidate.retiredAt === null);
    if (key === undefined) throw new Error(`there is no live ${purpose} key`);
    return key;
  }

  /** The keys whose signatures still count, newest first. */
  verifying(purpose: KeyPurpose): readonly SigningKey[] {
    const keys = this.#byPurpose[purpose];
    return keys.every((key) => this.#verifies(key))
      ? keys
      : keys.filter((key) => this.#verifies(key));
  }

  /** The key of that id, if its signatures still count. */
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
    // An unchanged key stays the same object, so that what was derived from it can be kept by it.
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
 * Retires the keys that sign and adds a new one for each purpose, at once. Nobody is logged out and
 * no issued URL breaks: the retired ones verify until all they signed is past its time.
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
