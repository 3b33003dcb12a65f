import type { Actor } from '../../common/caller.ts';
import { derivedId } from '../../common/ids.ts';
import type { RateCardStore } from '../licensing/store/rate-card-store.ts';
import offer from './offer.json' with { type: 'json' };
import { DEMO_ACTOR, DEMO_SOURCE } from './state.ts';

export interface DemoPlaylist {
  id: string;
  name: string;
  description: string;
  granted: boolean;
  /** Names of demo tracks, in order. */
  trackNames: readonly string[];
}

/** The last playlist is granted to no client, to show the difference. */
export const DEMO_PLAYLISTS: readonly DemoPlaylist[] = offer.playlists.map((playlist) => ({
  id: derivedId(DEMO_SOURCE, 'playlist', playlist.name),
  ...playlist,
}));

/**
 * The card of the demo's client with contract features. It is not the standard card, so it prices nothing for the partners
 * of an operator who has not published one yet.
 */
export const DEMO_RATE_CARD = offer.rateCard.name;

/** Publishes the card, whose prices are invented, unless a version of it is in force. */
export async function publishRateCard(rateCards: RateCardStore): Promise<void> {
  const cards = await rateCards.list();
  if (cards.some(({ name, isInForce }) => name === DEMO_RATE_CARD && isInForce)) return;
  const document = JSON.stringify(offer.rateCard, null, 2);
  await rateCards.publish({ name: DEMO_RATE_CARD, document }, DEMO_ACTOR);
}

/** Withdraws the versions that loads published. Quotes and licenses stay as they are. */
export async function withdrawRateCard(rateCards: RateCardStore, by: Actor): Promise<void> {
  for (const card of await rateCards.list()) {
    if (card.by === DEMO_ACTOR && card.withdrawnAt === null) {
      await rateCards.withdraw(card.name, card.version, by);
    }
  }
}
