import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../common/clock.ts';
import { OperatorError } from '../../common/errors.ts';
import { newId } from '../../common/ids.ts';
import type { MediaStore } from '../../engines/blobs/media-store.ts';
import type { LockHolder } from '../../engines/sql/sqlite/folder-lock.ts';
import { readWhole } from './repository.ts';

/** A sign that is older than this, by the clock of the bucket, is of a backup that was killed. */
const EXPIRY_MS = 120_000;
const RENEW_MS = 20_000;
const LOOK_MS = 2_000;

interface Options {
  /** Where the signs are. Nothing else is there. */
  signs: MediaStore;
  holder: LockHolder;
  clock: Clock;
  /** Called once before it waits for a holder, who is `undefined` if that is not known. */
  onWait?: ((heldBy: LockHolder | undefined) => void) | undefined;
  renewMs?: number;
  lookMs?: number;
}

/**
 * The lock of a place in a bucket, also against catalogs with another database. It needs no conditional writes: each backup
 * stores a sign of its own, which no other one overwrites, and runs if a list shows no other sign then. Of two that begin
 * at once, at least one sees the sign of the other. The holder replaces its sign regularly, and the times of the signs are
 * those of the bucket. Whoever finds only expired signs removes them, from which a holder that was suspended learns
 * that it has lost the lock.
 */
export class BucketLock implements AsyncDisposable {
  readonly #options: Options;
  readonly #id = newId();
  /** The keys of its signs, the oldest first. There are several only while a sign is being replaced. */
  #own: string[] = [];
  #renewedAt = 0;
  #isLost = false;
  #timer: NodeJS.Timeout | undefined;
  #renewing: Promise<void> = Promise.resolve();

  private constructor(options: Options) {
    this.#options = options;
  }

  /**
   * Waits until a holder that may have been killed renews its sign, ends, or expires. Returns the lock, or who has it.
   */
  static async take(
    options: Options,
  ): Promise<{ lock: BucketLock } | { heldBy: LockHolder | undefined }> {
    const { signs, renewMs = RENEW_MS, lookMs = LOOK_MS } = options;
    const lock = new BucketLock(options);
    let first: string[] | undefined;
    let heldBy: LockHolder | undefined;
    for (;;) {
      lock.#renewedAt = options.clock.now();
      await lock.#show('first');
      const others = await lock.#others();
      if (others.length === 0) break;
      await lock.#removeOwn();
      if (first === undefined) {
        first = others;
        const text = await readWhole(signs, others[0]!);
        heldBy = text && JSON.parse(text.toString());
        options.onWait?.(heldBy);
      }
      if (others.some((key) => !first?.includes(key))) return { heldBy };
      // Two that began at once would meet again after equal pauses.
      await sleep(lookMs * (1 + Math.random()));
    }
    // What fails is tried again, and `ensure` tells it.
    lock.#timer = setInterval(() => void lock.#renew().catch(() => {}), renewMs).unref();
    return { lock };
  }

  /** Throws OperatorError if another backup may have run meanwhile. Call it before each step that could harm that one. */
  async ensure(): Promise<void> {
    // The clock of the machine also counts the time for which it was suspended.
    const ageMs = Math.abs(this.#options.clock.now() - this.#renewedAt);
    if (ageMs > RENEW_MS) await this.#renew();
    if (!this.#isLost) return;
    throw new OperatorError(
      'this backup stood still for minutes, and another one to the same place has begun: run it again after that one',
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#renewing.catch(() => {});
    // A sign that stays expires.
    await this.#removeOwn().catch(() => {});
  }

  /** One renewal at a time. */
  #renew(): Promise<void> {
    this.#renewing = this.#renewing.catch(() => {}).then(() => this.#renewOnce());
    return this.#renewing;
  }

  async #renewOnce(): Promise<void> {
    if (this.#isLost) return;
    const { signs, clock } = this.#options;
    const now = clock.now();
    await this.#show(newId());
    const [before, after] = [await signs.stat(this.#own[0]!), await signs.stat(this.#own.at(-1)!)];
    const isKnown = before !== undefined && after !== undefined;
    // A sign that was never close to its expiry counted for all others.
    const isSafe = isKnown && +after.modifiedAt - +before.modifiedAt < EXPIRY_MS / 2;
    if (!isKnown || (!isSafe && (await this.#others()).length > 0)) {
      this.#isLost = true;
      return;
    }
    for (const key of this.#own.slice(0, -1)) await signs.remove(key);
    this.#own = this.#own.slice(-1);
    this.#renewedAt = now;
  }

  /** @param renewal distinguishes the signs of the same backup */
  async #show(renewal: string): Promise<void> {
    const { signs, holder } = this.#options;
    const text = JSON.stringify({ ...holder, id: this.#id, renewal });
    const { key } = await signs.putBytes(Buffer.from(text), 'json');
    this.#own.push(key);
  }

  /** Returns the signs of other backups that have not expired. If there are none, removes the expired ones. */
  async #others(): Promise<string[]> {
    const { signs, lookMs = LOOK_MS } = this.#options;
    const [fresh, expired]: [string[], string[]] = [[], []];
    const own = await signs.stat(this.#own.at(-1)!);
    if (own === undefined) {
      throw new OperatorError(`${signs.place} has lost a file that was just written`);
    }
    for await (const key of signs.keys()) {
      if (this.#own.includes(key)) continue;
      const found = await signs.stat(key);
      if (found === undefined) {
        // It was replaced since the list was made.
        await sleep(lookMs);
        return this.#others();
      }
      (+own.modifiedAt - +found.modifiedAt > EXPIRY_MS ? expired : fresh).push(key);
    }
    if (fresh.length === 0) for (const key of expired) await signs.remove(key);
    return fresh;
  }

  async #removeOwn(): Promise<void> {
    for (const key of this.#own.splice(0)) await this.#options.signs.remove(key);
  }
}
