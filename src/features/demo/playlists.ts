import { derivedId } from '../../common/ids.ts';
import { DEMO_SOURCE } from './identity.ts';

/** One of the demo's playlists. */
export interface DemoPlaylist {
  id: string;
  name: string;
  description: string;
  /** Whether the demo clients have grants. */
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
