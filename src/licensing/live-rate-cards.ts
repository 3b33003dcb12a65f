import { STANDARD_RATE_CARD } from '../access/client.ts';
import type { RegionGroup } from '../catalog/regions.ts';
import type { Change } from '../changes/change-log.ts';
import { parseRateCard } from './parse-rate-card.ts';
import type { RateCardStore } from './rate-card.ts';

/**
 * The groups of countries of the rate cards in force, in memory, for searches. Reads are synchronous. It is as current as
 * the follower that calls `apply`.
 */
export class LiveRateCards {
  readonly #store: Pick<RateCardStore, 'list'>;
  #groups: ReadonlyMap<string, readonly RegionGroup[]> = new Map();
  #version = 0;

  constructor(deps: { rateCards: Pick<RateCardStore, 'list'> }) {
    this.#store = deps.rateCards;
  }

  /** Rises whenever `groupsOf` may return others. */
  get version(): number {
    return this.#version;
  }

  /** Loads the cards. Follow the log from a position that was read before. */
  async load(): Promise<void> {
    const cards = await this.#store.list();
    this.#groups = new Map(
      cards
        .filter(({ isInForce }) => isInForce)
        .map(({ name, document }) => [name, groupsIn(document)]),
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
}

/** During an upgrade, a newer version of the program may publish a card that this one cannot read. */
function groupsIn(document: string): readonly RegionGroup[] {
  try {
    return parseRateCard(document).territories;
  } catch {
    return [];
  }
}
