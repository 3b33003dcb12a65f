import type { RegionGroup } from '../../common/codes.ts';
import type { Log } from '../../common/log.ts';
import type { Change } from '../../engines/change-log/change-log.ts';
import { STANDARD_RATE_CARD } from '../access/client.ts';
import type { RateCardRecord } from './rate-card.ts';
import { groupsOfStoredCard } from './rate-card-file.ts';
import type { RateCardStore } from './store/rate-card-store.ts';

/**
 * The groups of countries of the rate cards in force, in memory, for searches. Reads are synchronous, and as
 * current as the follower that calls `apply`.
 */
export class LiveRateCards {
  readonly #store: Pick<RateCardStore, 'list'>;
  #groups: ReadonlyMap<string, readonly RegionGroup[]> = new Map();
  #version = 0;
  readonly #log: Log;

  constructor(deps: { rateCards: Pick<RateCardStore, 'list'>; log: Log }) {
    this.#store = deps.rateCards;
    this.#log = deps.log;
  }

  /** Rises whenever the result of `groupsOf` may change. */
  get version(): number {
    return this.#version;
  }

  /** Loads the cards. Follow the log from a position that was read before. */
  async load(): Promise<void> {
    const cards = await this.#store.list();
    this.#groups = new Map(
      cards.filter(({ isInForce }) => isInForce).map((card) => [card.name, this.#groupsIn(card)]),
    );
    this.#version++;
  }

  /** Reloads the cards if a change concerns them. It may be repeated. */
  async apply(changes: readonly Change[]): Promise<void> {
    if (changes.some(({ entity }) => entity === 'rate_card')) await this.load();
  }

  /** The groups of a card, by default of the standard card. Empty if no version of it is in force. */
  groupsOf(card: string | null | undefined): readonly RegionGroup[] {
    return this.#groups.get(card ?? STANDARD_RATE_CARD) ?? [];
  }

  /** Returns the groups of a card; if they cannot be read, those of its previous version. */
  #groupsIn({ name, version, document }: RateCardRecord): readonly RegionGroup[] {
    try {
      return groupsOfStoredCard(document);
    } catch (error) {
      const card = `${name}@${version}`;
      this.#log.error({ card, err: error }, 'the groups of a rate card cannot be read');
      return this.#groups.get(name) ?? [];
    }
  }
}
