/** Whether the node serves: it starts, it serves, and one day it drains; never back. */
export class Readiness {
  #state: 'starting' | 'serving' | 'draining' = 'starting';

  /** True while the node can serve; the health check reports it. */
  accepting(): boolean {
    return this.#state === 'serving';
  }

  draining(): boolean {
    return this.#state === 'draining';
  }

  /** Called once, when all that a request needs is there. */
  serve(): void {
    if (this.#state === 'starting') {
      this.#state = 'serving';
    }
  }

  /** The server calls it when it begins to close. */
  drain(): void {
    this.#state = 'draining';
  }
}
