/** What a response said besides its data. */
export interface ResponseInfo {
  status: number;
  headers: Headers;
  requestId: string | null;
  /** The version of the resource, for `ifMatch`; null if there is none. */
  etag: string | null;
}

/** The data of a response, and the rest. */
export interface Answer<T> {
  data: T;
  response: ResponseInfo;
}

/** A promise of the data of a response. `withResponse()` gives the headers too. */
export class Result<T> implements Promise<T> {
  readonly [Symbol.toStringTag] = 'Result';
  readonly #answer: Promise<Answer<T>>;

  constructor(answer: Promise<Answer<T>>) {
    this.#answer = answer;
  }

  /** The data and the headers of the response. */
  withResponse(): Promise<Answer<T>> {
    return this.#answer;
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise
  then<A = T, B = never>(
    fulfilled?: ((data: T) => A | PromiseLike<A>) | null,
    rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#answer.then(({ data }) => data).then(fulfilled, rejected);
  }

  catch<B = never>(rejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(undefined, rejected);
  }

  finally(done?: (() => void) | null): Promise<T> {
    return this.then().finally(done);
  }
}
