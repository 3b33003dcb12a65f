import type { ChangedSegment } from '../../engines/search/build/build-index.ts';
import type { MergeInput } from '../../engines/search/build/merge.ts';
import type { SegmentColumns } from '../../engines/search/segments/columns.ts';
import type { IndexMaker } from '../indexing/index-source.ts';

/** Makes each segment once for all workers, in shared memory. Workers share a suitable segment, also an unfinished one. */
export class IndexBroker implements IndexMaker {
  readonly #maker: IndexMaker;
  readonly #offer: (columns: SegmentColumns) => void;
  #newest: SegmentColumns | undefined;
  #making: Promise<SegmentColumns> | undefined;
  /** The unfinished segment of changes. A finished one is not kept, because it may be large. */
  #changes: { after: number; made: Promise<ChangedSegment> } | undefined;

  /** @param offer called with each newer base of a build or a merge, for all workers to take over. */
  constructor(maker: IndexMaker, offer: (columns: SegmentColumns) => void) {
    this.#maker = maker;
    this.#offer = offer;
  }

  async open(): Promise<SegmentColumns> {
    return this.#newest ?? this.#make(() => this.#maker.open());
  }

  async build(notBefore: number): Promise<SegmentColumns> {
    const willDo = (columns?: SegmentColumns) => columns && columns.meta.seq >= notBefore;
    // The unfinished segment of another worker may have begun before `notBefore`.
    while (this.#making !== undefined && !willDo(this.#newest)) await this.#making;
    if (willDo(this.#newest)) return this.#newest!;
    const built = await this.#make(() => this.#maker.build(notBefore));
    this.#offer(built);
    return built;
  }

  async merge(input: MergeInput): Promise<SegmentColumns> {
    const merged = await this.#maker.merge(input);
    if (input.isWhole) {
      this.#note(merged);
      this.#offer(merged);
    }
    return merged;
  }

  async changes(after: number): Promise<ChangedSegment> {
    // Changes that a worker already has do not matter to it, because all later ones follow them.
    while (this.#changes !== undefined && this.#changes.after <= after) {
      const { columns, removed } = await this.#changes.made;
      if (columns.meta.seq > after) return { columns, removed };
    }
    const made = this.#maker.changes(after).finally(() => {
      if (this.#changes === changes) this.#changes = undefined;
    });
    const changes = { after, made };
    this.#changes = changes;
    return made;
  }

  close(): Promise<void> {
    return this.#maker.close();
  }

  /** Returns the unfinished segment, or a new one. */
  #make(make: () => Promise<SegmentColumns>): Promise<SegmentColumns> {
    this.#making ??= make()
      .then((columns) => {
        this.#note(columns);
        return columns;
      })
      .finally(() => {
        this.#making = undefined;
      });
    return this.#making;
  }

  #note(columns: SegmentColumns): void {
    if (this.#newest === undefined || columns.meta.seq > this.#newest.meta.seq) {
      this.#newest = columns;
    }
  }
}
