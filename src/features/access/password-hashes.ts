import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { unavailable } from '../../common/errors.ts';
import { limited } from '../../common/work/limited.ts';

/** A hash by scrypt with its cost and salt, as it is stored. */
export interface StoredPassword {
  N: number;
  r: number;
  p: number;
  /** Base64url. */
  salt: string;
  hash: string;
}

/** 32 MiB of memory (OWASP Password Storage Cheat Sheet, scrypt). */
const MEMORY_COST = { N: 2 ** 15, r: 8 };
const HASH_BYTES = 32;
const SALT_BYTES = 16;
/** Each hash takes 32 MiB, and one of the four threads that read files. */
const HASHES_AT_ONCE = 2;
const WAITING_HASHES = 50;
const HASH_WAIT_MS = 10_000;

const hashWith: (
  password: string,
  salt: Buffer,
  length: number,
  options: { N: number; r: number; p: number; maxmem: number },
) => Promise<Buffer> = promisify(scrypt);

/** Makes and compares hashes of passwords in NFC, two at a time. Throws unavailable if too many wait. */
export class PasswordHashes {
  readonly #cost: Pick<StoredPassword, 'N' | 'r' | 'p'>;
  readonly #inTurn = limited(HASHES_AT_ONCE, {
    ms: HASH_WAIT_MS,
    most: WAITING_HASHES,
    tooLong: () => unavailable('Too many passwords are being checked; try again in a moment.', 5),
  });

  /** @param cost.p tenths of a second, about, for a new hash. A stored one keeps the cost that it was stored with. */
  constructor({ p }: { p: number }) {
    this.#cost = { ...MEMORY_COST, p };
  }

  async make(password: string): Promise<StoredPassword> {
    const salt = randomBytes(SALT_BYTES);
    const hash = await this.#derive(password, salt, this.#cost);
    return { ...this.#cost, salt: salt.toString('base64url'), hash: hash.toString('base64url') };
  }

  /** Compares a password in constant time. */
  async matches({ salt, hash, ...cost }: StoredPassword, given: string): Promise<boolean> {
    const derived = await this.#derive(given, Buffer.from(salt, 'base64url'), cost);
    return timingSafeEqual(derived, Buffer.from(hash, 'base64url'));
  }

  /** Returns a hash that no password has. Its comparison takes as long as that of any other. */
  ofNothing(): StoredPassword {
    const salt = randomBytes(SALT_BYTES).toString('base64url');
    return { ...this.#cost, salt, hash: randomBytes(HASH_BYTES).toString('base64url') };
  }

  #derive(
    password: string,
    salt: Buffer,
    { N, r, p }: Pick<StoredPassword, 'N' | 'r' | 'p'>,
  ): Promise<Buffer> {
    // Node refuses costs whose memory, 128 N r bytes and some more, exceeds this.
    const options = { N, r, p, maxmem: 256 * N * r };
    return this.#inTurn(() => hashWith(password.normalize('NFC'), salt, HASH_BYTES, options));
  }
}
