import { createSecretKey, type KeyObject } from 'node:crypto';
import type { SigningKey } from './client.ts';

const imported = new WeakMap<SigningKey, KeyObject>();

/** The imported form of a key, from a cache: importing it costs most of its use. */
export function keyObject(key: SigningKey): KeyObject {
  let object = imported.get(key);
  if (object === undefined) {
    object = createSecretKey(key.secret);
    imported.set(key, object);
  }
  return object;
}
