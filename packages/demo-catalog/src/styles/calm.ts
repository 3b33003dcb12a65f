import type { Style } from '../compose/compose.ts';

/** Slow chords in a large room, a few bells, and a distant flute. */
export const AMBIENT: Style = {
  progressions: [
    [1, 5, 6, 4],
    [1, 3, 4, 1],
    [6, 4, 1, 5],
  ],
  chordTones: 4,
  parts: [
    { instrument: 'pad', role: { does: 'hold', center: 60 }, gain: 0.34, wide: true, reverb: 0.5 },
    {
      instrument: 'harp',
      role: {
        does: 'break',
        center: 67,
        pattern: ['0...2...3...1...', '1...3...4...2...'],
        ring: 4,
      },
      gain: 0.3,
      pan: 0.3,
      reverb: 0.5,
      echo: 0.5,
      enters: 1,
    },
    {
      instrument: 'bell',
      role: {
        does: 'break',
        center: 79,
        pattern: ['....0...........', '..........2.....'],
        ring: 4,
      },
      gain: 0.24,
      pan: -0.4,
      reverb: 0.6,
      echo: 0.4,
      enters: 2,
    },
    {
      instrument: 'flute',
      role: { does: 'tune', center: 9, density: 'sparse' },
      gain: 0.34,
      pan: -0.1,
      reverb: 0.55,
      echo: 0.3,
      enters: 2,
    },
    { instrument: 'sub bass', role: { does: 'bass', pattern: '1---------------' }, gain: 0.4 },
  ],
  echoBeats: 1.5,
  roomSize: 0.95,
};

/** One piano with both hands, and strings that enter below it. */
export const SOLO_PIANO: Style = {
  progressions: [
    [1, 5, 6, 3, 4, 1, 4, 5],
    [6, 4, 1, 5],
    [1, 6, 2, 5],
  ],
  chordTones: 3,
  parts: [
    {
      instrument: 'piano',
      role: {
        does: 'break',
        center: 55,
        pattern: ['0-1-2-3-2-1-2-1-', '0-2-1-2-3-2-1-2-'],
        ring: 1.8,
      },
      gain: 0.32,
      pan: -0.18,
      reverb: 0.28,
    },
    {
      instrument: 'piano',
      role: { does: 'bass', pattern: '1-------5-------' },
      gain: 0.42,
      pan: -0.25,
      reverb: 0.25,
    },
    {
      instrument: 'piano',
      role: { does: 'tune', center: 9, density: 'even' },
      gain: 0.75,
      pan: 0.16,
      reverb: 0.32,
      enters: 2,
    },
    {
      instrument: 'strings',
      role: { does: 'hold', center: 62 },
      gain: 0.17,
      wide: true,
      reverb: 0.5,
      enters: 4,
    },
  ],
  echoBeats: 1,
  roomSize: 0.75,
};

/** A lullaby in three: music box, harp and soft strings. */
export const MUSIC_BOX: Style = {
  progressions: [
    [1, 4, 5, 1],
    [1, 6, 4, 5],
    [1, 3, 4, 5],
  ],
  chordTones: 3,
  parts: [
    {
      instrument: 'music box',
      role: { does: 'tune', center: 14, density: 'even' },
      gain: 0.6,
      pan: 0.12,
      reverb: 0.4,
      echo: 0.15,
    },
    {
      instrument: 'harp',
      role: { does: 'break', center: 62, pattern: ['0-1-2-', '0-2-1-'], ring: 2 },
      gain: 0.42,
      pan: -0.3,
      reverb: 0.35,
    },
    {
      instrument: 'strings',
      role: { does: 'hold', center: 58 },
      gain: 0.16,
      wide: true,
      reverb: 0.45,
      enters: 4,
    },
    { instrument: 'upright bass', role: { does: 'bass', pattern: '1-----' }, gain: 0.5, enters: 2 },
  ],
  echoBeats: 1,
  roomSize: 0.7,
};

/** Voices in a church, with an organ. */
export const CHORAL: Style = {
  progressions: [
    [1, 4, 5, 1, 6, 4, 5, 5],
    [1, 6, 4, 5],
  ],
  chordTones: 3,
  parts: [
    {
      instrument: 'choir',
      role: { does: 'hold', center: 60 },
      gain: 0.5,
      wide: true,
      reverb: 0.55,
    },
    {
      instrument: 'voice',
      role: { does: 'tune', center: 7, density: 'sparse' },
      gain: 0.6,
      pan: 0.1,
      reverb: 0.5,
      enters: 2,
    },
    {
      instrument: 'organ',
      role: { does: 'bass', pattern: '1---------------' },
      gain: 0.45,
      reverb: 0.4,
    },
    {
      instrument: 'bell',
      role: {
        does: 'break',
        center: 72,
        pattern: ['0...............', '................'],
        ring: 2,
      },
      gain: 0.24,
      pan: 0.4,
      reverb: 0.6,
      enters: 2,
    },
  ],
  echoBeats: 2,
  roomSize: 1,
};

/** Strummed guitar, double bass, shaker, and a simple tune. */
export const FOLK: Style = {
  progressions: [
    [1, 5, 6, 4],
    [1, 4, 1, 5],
    [1, 2, 4, 1],
  ],
  chordTones: 3,
  parts: [
    {
      instrument: 'guitar',
      role: {
        does: 'strike',
        center: 59,
        pattern: ['X---x-x---x-x-x-', 'X---x-x-..x-x-x-'],
        strumBeats: 0.03,
      },
      gain: 0.32,
      wide: true,
      reverb: 0.18,
    },
    {
      instrument: 'upright bass',
      role: { does: 'bass', pattern: '1-------5-----a-' },
      gain: 0.75,
      enters: 2,
    },
    {
      instrument: 'flute',
      role: { does: 'tune', center: 8, density: 'even' },
      gain: 0.42,
      pan: 0.15,
      reverb: 0.28,
      echo: 0.1,
      enters: 2,
    },
  ],
  drums: {
    kit: 'soft',
    gain: 0.6,
    enters: 2,
    patterns: [{ shaker: 'o.x.o.x.o.x.o.x.', kick: 'x.......x.......', rim: '....x.......x...' }],
  },
  echoBeats: 0.75,
  roomSize: 0.45,
};
