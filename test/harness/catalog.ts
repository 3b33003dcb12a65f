import { derivedId } from '../../src/common/ids.ts';
import type { TrackDelivery } from '../../src/features/catalog/track.ts';

const SOURCE = 'harness';
const DAY_MS = 86_400_000;
const NEWEST = Date.UTC(2025, 5, 1);

const NAMES = [
  'Night Ferry',
  'Sunrise',
  'Beyoncé on the Radio',
  'Rain over Lisbon',
  'Ocean',
  'Ocean Drive',
  'The Ocean at Night',
  'Don’t Look Back',
  '夜の海',
  'Door Slam',
  'Thunder Rolling',
  'Night Bus',
  'Über den Wolken',
  'C’est la vie',
  'Piano Sketch No. 3',
  'Glass Harp',
  'Iron Bridge',
  'Morning Commute',
  'Paper Lanterns',
  'Slow River',
  'Fast River',
  'Cinder',
  'Ember',
  'Ashes',
  'Northern Lights',
  'Southern Cross',
  'Wind Chimes',
  'Footsteps on Gravel',
  'Typewriter',
  'Kettle Whistle',
  'Applause',
  'Heartbeat',
  'Neon',
  'Midnight Neon',
  'Sunset',
] as const; // prettier-ignore

/**
 * A delivery with every value, which the caller may change. Equal numbers give equal ids, so a second delivery with the
 * same number is an update.
 */
export function delivery(number: number, change: Partial<TrackDelivery> = {}): TrackDelivery {
  const isEffect = number % 5 === 4;
  return {
    id: derivedId(SOURCE, String(number)),
    source: SOURCE,
    externalId: `t-${number}`,
    name: NAMES[number % NAMES.length]!,
    slug: null,
    type: isEffect ? 'sfx' : 'music',
    bpm: isEffect ? '' : String(70 + (number % 60)),
    songKey: isEffect ? [] : ['A minor'],
    timeSignature: isEffect ? '' : '4/4',
    durationSeconds: 1 + ((number * 37) % 300),
    region: 'WORLD',
    // Three tracks a day have the same date, so that the order by id matters.
    releasedAt: NEWEST - Math.floor(number / 3) * DAY_MS,
    hasVocals: number % 3 === 0,
    isPRO: number % 7 === 0,
    tags: isEffect ? ['foley'] : ['demo', `n${number}`],
    isrc: isEffect ? '' : `QZES7${String(2400000 + number).padStart(7, '0')}`,
    artists: [
      {
        id: derivedId(SOURCE, 'artist', String(number % 4)),
        externalId: `a-${number % 4}`,
        name: `Artist ${number % 4}`,
        role: 'MAIN_ARTIST',
        isPrimary: true,
      },
    ],
    filters: [
      { type: 'genre', name: number % 2 === 0 ? 'Ambient' : 'Drum & Bass' },
      ...(number % 3 === 0 ? [{ type: 'mood' as const, name: 'Calm' }] : []),
      ...(number % 4 === 0 ? [{ type: 'use-case' as const, name: 'Advertising' }] : []),
    ],
    audioKey: null,
    artworkKey: null,
    ...change,
  };
}

/** `count` deliveries, numbered from 0. */
export function deliveries(count: number): TrackDelivery[] {
  return Array.from({ length: count }, (_, number) => delivery(number));
}
