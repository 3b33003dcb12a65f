import { type Answer, Result } from './result.ts';

/** One page of a list. */
export interface Page<Item> {
  currentPage: number;
  totalPages: number;
  items: Item[];
}

/**
 * A promise of a page, which is also iterable: `await` gives the page, `for await` all records from this page on. The
 * next page is requested once the loop needs it. `pageSize: 100` needs the fewest requests.
 */
export class PageResult<P extends Page<Item>, Item> extends Result<P> {
  readonly #next: (page: number) => Result<P>;

  constructor(answer: Promise<Answer<P>>, next: (page: number) => Result<P>) {
    super(answer);
    this.#next = next;
  }

  /** This page and those after it. */
  async *pages(): AsyncGenerator<P, void, undefined> {
    for (let page = await this.then(); ; page = await this.#next(page.currentPage + 1)) {
      yield page;
      if (page.currentPage >= page.totalPages) return;
    }
  }

  /** The records of this page and of those after it. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { items } of this.pages()) yield* items;
  }
}
