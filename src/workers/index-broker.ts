import type { IndexMaker } from '../index-source.ts';
import type { SegmentColumns } from '../search/columns.ts';
import type { MergeInput } from '../search/merge.ts';

/**
 * Makes segments once for all workers: who asks while one is being made, or when one that will do was
 * made before, is given the same, which lies in memory once.
 */
export class IndexBroker implements IndexMaker {
  readonly #maker: IndexMaker;
  readonly #offer: (columns: SegmentColumns) => void;
  #newest: SegmentColumns | undefined;
  #making: Promise<SegmentColumns> | undefined;

  /** @param offer is handed each newer segment that a build or a merge makes, for all to go over to. */
  constructor(maker: IndexMaker, offer: (columns: SegmentColumns) => void) {
    this.#maker = maker;
    this.#offer = offer;
  }

  async open(): Promise<SegmentColumns> {
    return this.#newest ?? this.#make(() => this.#maker.open());
  }

  async build(notBefore: number): Promise<SegmentColumns> {
    const willDo = (columns?: SegmentColumns) => columns && columns.meta.seq >= notBefore;
    // Made for another, it may have begun too long ago; nobody may be taken back in the log.
    while (this.#making !== undefined && !willDo(this.#newest)) await this.#making;
    if (willDo(this.#newest)) return this.#newest!;
    const built = await this.#make(() => this.#maker.build(notBefore));
    this.#offer(built);
    return built;
  }

  async merge(input: MergeInput): Promise<SegmentColumns> {
    const merged = await this.#maker.merge(input);
    this.#note(merged);
    this.#offer(merged);
    return merged;
  }

  close(): Promise<void> {
    return this.#maker.close();
  }

  /** What is being made, or else this. */
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
