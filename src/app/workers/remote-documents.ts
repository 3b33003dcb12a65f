import type { DocumentColumns, DocumentMaker } from '../../features/catalog/document-copy.ts';

/** The document maker of a worker: it requests copies from the main thread, which sends them to all workers. */
export class RemoteDocumentMaker implements DocumentMaker {
  readonly #ask: (isOutdated: boolean) => void;
  #take: ((columns: DocumentColumns) => void) | undefined;
  /** The last copy, if it arrived before `onColumns`. */
  #waiting: DocumentColumns | undefined;

  /** @param ask sends a request to the main thread. */
  constructor(ask: (isOutdated: boolean) => void) {
    this.#ask = ask;
  }

  onColumns(take: (columns: DocumentColumns) => void): void {
    this.#take = take;
    if (this.#waiting !== undefined) take(this.#waiting);
    this.#waiting = undefined;
  }

  request(isOutdated: boolean): void {
    this.#ask(isOutdated);
  }

  /** Takes a copy that the main thread has sent. */
  received(columns: DocumentColumns): void {
    if (this.#take === undefined) this.#waiting = columns;
    else this.#take(columns);
  }

  async close(): Promise<void> {
    this.#take = () => {};
  }
}
