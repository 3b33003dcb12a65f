import type { Actor } from '../../common/caller.ts';
import { derivedId } from '../../common/ids.ts';
import type { RateCardStore } from '../licensing/store/rate-card-store.ts';
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
export const DEMO_PLAYLISTS: readonly DemoPlaylist[] = [
  playlist('Quiet Focus', 'Calm pieces without words, for work and for thought.', true, [
    'Harbour at First Light',
    'Rooftop Cassette',
    'Paper Boats',
    'Slow Current',
    'Lullaby for a Clockmaker',
    'Rain on a Tin Roof',
    'Midnight Snow',
  ]),
  playlist('Night Drive', 'Lights, motorways, and nobody else on the road.', true, [
    'Neon Causeway',
    'Glass Elevator',
    'Aurora Engine',
    'Basement Sunrise',
    'Overclock',
    'Whoosh Past',
  ]),
  playlist('Autumn Pitch (not yet shared)', 'Granted to nobody so far.', false, [
    'Ten Thousand Lanterns',
    'The Cartographer',
    'Evensong',
    'Salt Road',
  ]),
];

function playlist(
  name: string,
  description: string,
  granted: boolean,
  trackNames: readonly string[],
): DemoPlaylist {
  return { id: derivedId(DEMO_SOURCE, 'playlist', name), name, description, granted, trackNames };
}

/**
 * The card of the demo's client with contract features. It is not the standard card, so it prices nothing for the partners
 * of an operator who has not published one yet.
 */
export const DEMO_RATE_CARD = 'demo';

/** What licenses cost in the demo. The prices are invented. */
const CARD = {
  name: DEMO_RATE_CARD,
  currency: 'EUR',
  termsVersion: 'demo',
  termsUrl: 'https://stave.example/terms/demo',
  quoteDays: 14,
  minimumMinor: 1000,
  base: { music: 10_000, sfx: 2000 },
  media: { online: '1', social: '0.5', broadcast: '3' },
  territories: [
    { code: 'WORLD', factor: '2.5' },
    {
      code: 'EU',
      countries: [
        ...['AT', 'BE', 'BG', 'CY', 'CZ', 'DE', 'DK', 'EE', 'ES', 'FI', 'FR', 'GR', 'HR', 'HU'],
        ...['IE', 'IT', 'LT', 'LU', 'LV', 'MT', 'NL', 'PL', 'PT', 'RO', 'SE', 'SI', 'SK'],
      ],
      factor: '1.8',
    },
    { code: 'DACH', countries: ['DE', 'AT', 'CH'], factor: '1.2' },
    { code: 'JP', countries: ['JP'], factor: '1.1' },
  ],
  terms: { P1M: '0.4', P1Y: '1', PERPETUAL: '4' },
  exclusive: '20',
  volume: [{ from: 10, factor: '0.9' }],
};

/** Publishes the card, unless a version of it is in force. */
export async function publishRateCard(rateCards: RateCardStore): Promise<void> {
  const cards = await rateCards.list();
  if (cards.some(({ name, isInForce }) => name === DEMO_RATE_CARD && isInForce)) return;
  const document = JSON.stringify(CARD, null, 2);
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
