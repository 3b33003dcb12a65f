import type { Clock } from '../../common/clock.ts';
import { type CountStore, CountWriter } from '../../common/memory/count-writer.ts';
import type { LinkUse } from './link.ts';

/** Often, because owners look at the counts while guests listen. */
const WRITE_MS = 1_000;

/** Counts what guests do with links in memory, and adds the counts to the database every second. */
export class LinkUseCounter extends CountWriter<LinkUse> {
  readonly #clock: Clock;

  constructor(deps: {
    clock: Clock;
    store: CountStore<LinkUse>;
    onError: (error: unknown) => void;
  }) {
    super({
      name: 'writing the counts of links',
      store: deps.store,
      keyOf: ({ linkId }) => linkId,
      merge(into, use) {
        into.opens += use.opens;
        into.plays += use.plays;
        into.lastOpenedAt = Math.max(into.lastOpenedAt, use.lastOpenedAt);
      },
      onError: deps.onError,
      writeMs: WRITE_MS,
    });
    this.#clock = deps.clock;
  }

  count(use: Omit<LinkUse, 'lastOpenedAt'>): void {
    this.add({ ...use, lastOpenedAt: use.opens > 0 ? this.#clock.now() : 0 });
  }
}
