import type { Change, ChangeKind } from '../../../engines/change-log/change-log.ts';
import type {
  CatalogIndex,
  IndexEntry,
  RestoredTrack,
} from '../../../engines/search/catalog-index.ts';

/** The kinds of change after which a track is not live. */
const GONE: ReadonlySet<string> = new Set<ChangeKind<'track'>>([
  'taken_down',
  'withdrawn',
  'removed',
]);

/** The greatest number of tracks that are shown early, because they are indexed together in the serving thread. */
const MAX_SHOWN = 64;

/**
 * The changes that are visible before the catalog applies them in order: every removal of a track, and what an
 * operator restored by a command. They do not wait for the imports that precede them in the change log.
 */
export class EarlyChanges {
  /** By id, the `seq` of the last change that removed the track. */
  readonly #hidden = new Map<string, number>();
  /** By id, the tracks that were restored since. */
  readonly #shown = new Map<string, RestoredTrack>();

  /** Hides the tracks that changes after `position` remove. Returns whether there are any. */
  hide(changes: readonly Change[], position: number, index: CatalogIndex): boolean {
    const gone = changes.filter(({ kind, seq }) => GONE.has(kind) && seq > position);
    for (const { entityId, seq } of gone) {
      this.#hidden.set(entityId, seq);
      this.#shown.delete(entityId);
      index.hide([entityId], seq);
    }
    return gone.length > 0;
  }

  /**
   * The restorations by commands after `position`, without those of tracks that a later one of the changes removes.
   * If too many tracks would be shown early, the rest is left to the order of the log.
   */
  restored(changes: readonly Change[], position: number): Change[] {
    const last = new Map<string, Change>();
    for (const change of changes) {
      const { kind, batchId, entityId, seq } = change;
      if (GONE.has(kind)) last.delete(entityId);
      else if (kind === 'restored' && batchId === null && seq > position)
        last.set(entityId, change);
    }
    return [...last.values()].slice(0, Math.max(0, MAX_SHOWN - this.#shown.size));
  }

  /** Shows those tracks whose restorations are after `position`. */
  show(
    entries: readonly IndexEntry[],
    restored: readonly Change[],
    position: number,
    index: CatalogIndex,
  ): void {
    const seqs = new Map(restored.map(({ entityId, seq }) => [entityId, seq]));
    const tracks = entries
      .map((entry) => ({ entry, seq: seqs.get(entry.id)! }))
      .filter(({ seq }) => seq > position);
    for (const track of tracks) {
      this.#hidden.delete(track.entry.id);
      this.#shown.set(track.entry.id, track);
    }
    index.show(tracks);
  }

  /** Makes all of them visible in another index, which contains all changes up to `position`. */
  applyTo(index: CatalogIndex, position: number): void {
    this.forgetUpTo(position);
    for (const [id, seq] of this.#hidden) index.hide([id], seq);
    if (this.#shown.size > 0) index.show([...this.#shown.values()]);
  }

  /** Removes those that the catalog has applied up to `position`, because the index has them now. */
  forgetUpTo(position: number): void {
    for (const [id, seq] of this.#hidden) if (seq <= position) this.#hidden.delete(id);
    for (const [id, { seq }] of this.#shown) if (seq <= position) this.#shown.delete(id);
  }
}
