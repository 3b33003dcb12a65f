import { createSecretKey, type KeyObject } from 'node:crypto';
import type { SigningKey } from './client.ts';

const imported = new WeakMap<SigningKey, KeyObject>();

/** The key in the form that is imported once and not at each use, which would cost most of it. */
export function keyObject(key: SigningKey): KeyObject {
  let object = imported.get(key);
  if (object === undefined) {
    object = createSecretKey(key.secret);
    imported.set(key, object);
  }
  return object;
}
