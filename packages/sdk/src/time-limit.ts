import { StaveTimeoutError } from './errors.ts';

/** A timer ends at once if it is to take longer. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1;

/** Aborts its signal, with a StaveTimeoutError, if it is not cleared or restarted in time. */
export class TimeLimit {
  readonly #milliseconds: number;
  readonly #controller = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
    this.restart();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  restart(): void {
    this.clear();
    const end = () => {
      const text = `No whole response arrived in ${this.#milliseconds} ms`;
      this.#controller.abort(new StaveTimeoutError(text));
    };
    this.#timer = setTimeout(end, Math.min(this.#milliseconds, MAX_TIMER_MS));
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}
