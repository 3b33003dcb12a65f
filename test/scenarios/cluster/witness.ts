import { CHANGE_KINDS, type ChangeEntity } from '../../../src/engines/change-log/change-log.ts';
import { Follower } from '../../../src/engines/change-log/follower.ts';
import type { Store } from '../../../src/features/store.ts';
import { until } from '../../harness/until.ts';
import { repeated } from './repeated.ts';
import { openStore } from './writers.ts';

/** A follower of the change log that records every change. */
export class Witness {
  readonly #store: Store;
  readonly #follower: Follower;
  readonly #seen = new Map<number, string>();
  #outOfOrder = 0;

  private constructor(store: Store, isWoken: boolean) {
    this.#store = store;
    let last = 0;
    this.#follower = new Follower({
      log: store.changes,
      entities: Object.keys(CHANGE_KINDS) as ChangeEntity[],
      from: 0,
      pollMs: 250,
      ...(isWoken && { watch: (wake: () => void) => store.changes.watch(wake) }),
      apply: async (changes) => {
        for (const { seq, kind, entityId } of changes) {
          if (seq <= last) this.#outOfOrder++;
          last = seq;
          this.#seen.set(seq, `${kind} ${entityId}`);
        }
      },
      onError: () => {},
    });
    this.#follower.start();
  }

  /** @param isWoken whether it also receives notifications; false as through PgBouncer. */
  static async open(url: string, isWoken: boolean): Promise<Witness> {
    return new Witness(await openStore(url), isWoken);
  }

  /** Compares its record with the whole log. Returns how many changes it missed or saw differently or out of order. */
  async missed(): Promise<{ changes: number; missed: number }> {
    const head = await repeated(() => this.#store.changes.head());
    await until(() => this.#follower.position >= head);
    let missed = this.#outOfOrder;
    let changes = 0;
    for (let seq = 0; seq < head; ) {
      const from = seq;
      const kinds = Object.keys(CHANGE_KINDS) as ChangeEntity[];
      const slice = await repeated(() => this.#store.changes.since(from, kinds, 10_000));
      for (const change of slice) {
        if (this.#seen.get(change.seq) !== `${change.kind} ${change.entityId}`) missed++;
      }
      changes += slice.length;
      seq = slice.at(-1)!.seq;
    }
    // The numbers have no gaps, so a lost row would show as one.
    missed += head - changes;
    return { changes, missed };
  }

  async close(): Promise<void> {
    await this.#follower.stop();
    await this.#store.close();
  }
}
