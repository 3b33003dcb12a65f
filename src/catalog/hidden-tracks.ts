import type { Change, ChangeKind } from '../changes/change-log.ts';
import type { CatalogIndex } from './catalog-index.ts';

/** The kinds of change after which a track is not live. */
const GONE: ReadonlySet<string> = new Set<ChangeKind<'track'>>([
  'taken_down',
  'withdrawn',
  'removed',
]);

/** The tracks that are hidden by changes that the catalog has not applied yet. */
export class HiddenTracks {
  /** By id, the `seq` of the last change that removed the track. */
  readonly #seqs = new Map<string, number>();

  /** Adds the tracks that changes after `position` remove, and returns these changes. */
  add(changes: readonly Change[], position: number): Change[] {
    const gone = changes.filter(({ kind, seq }) => GONE.has(kind) && seq > position);
    for (const { entityId, seq } of gone) {
      this.#seqs.set(entityId, seq);
    }
    return gone;
  }

  /** Hides all of them in an index that may hold them as live. */
  hideIn(index: CatalogIndex): void {
    for (const [id, seq] of this.#seqs) {
      index.hide([id], seq);
    }
  }

  /** Removes those whose changes the catalog has applied up to `position`, because the index has them now. */
  forgetUpTo(position: number): void {
    for (const [id, seq] of this.#seqs) {
      if (seq <= position) {
        this.#seqs.delete(id);
      }
    }
  }
}
