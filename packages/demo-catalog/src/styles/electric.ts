import type { Style } from '../compose/compose.ts';

/** Four to the floor, with chords off the beat. */
export const HOUSE: Style = {
  progressions: [
    [6, 4, 1, 5],
    [1, 3, 6, 4],
    [4, 5, 6, 6],
  ],
  chordTones: 4,
  parts: [
    {
      instrument: 'stab',
      role: { does: 'strike', center: 64, pattern: ['..x-..x-..x-..x-', 'x-..x-..x-..x-x-'] },
      gain: 0.3,
      wide: true,
      reverb: 0.25,
      echo: 0.25,
    },
    {
      instrument: 'synth bass',
      role: { does: 'bass', pattern: '..1-..1-..1-..8-' },
      gain: 0.6,
      enters: 2,
    },
    { instrument: 'pad', role: { does: 'hold', center: 60 }, gain: 0.14, wide: true, reverb: 0.4 },
    {
      instrument: 'lead',
      role: { does: 'tune', center: 8, density: 'busy' },
      gain: 0.3,
      pan: 0.1,
      reverb: 0.25,
      echo: 0.35,
      enters: 6,
      leaves: 1,
    },
  ],
  drums: {
    kit: 'electronic',
    gain: 0.72,
    fills: true,
    patterns: [
      {
        kick: 'X...X...X...X...',
        clap: '....x.......x...',
        'open hat': '..o...o...o...o.',
        hat: 'o.xoo.xoo.xoo.xo',
      },
    ],
  },
  echoBeats: 0.75,
  roomSize: 0.5,
};

/** Electronic music in the style of the 1980s. */
export const SYNTHWAVE: Style = {
  progressions: [
    [6, 4, 1, 5],
    [1, 6, 3, 7],
    [1, 7, 6, 7],
  ],
  chordTones: 3,
  parts: [
    {
      instrument: 'synth bass',
      role: { does: 'bass', pattern: ['1.1.1.1.1.1.1.8.', '1.1.1.1.1.1.5.8.'] },
      gain: 0.55,
    },
    { instrument: 'pad', role: { does: 'hold', center: 62 }, gain: 0.24, wide: true, reverb: 0.45 },
    {
      instrument: 'pulse lead',
      role: { does: 'break', center: 72, pattern: '0121321201213243' },
      gain: 0.14,
      pan: -0.35,
      reverb: 0.2,
      echo: 0.4,
      enters: 2,
    },
    {
      instrument: 'lead',
      role: { does: 'tune', center: 9, density: 'even' },
      gain: 0.36,
      pan: 0.05,
      reverb: 0.35,
      echo: 0.35,
      enters: 4,
    },
  ],
  drums: {
    kit: 'electronic',
    gain: 0.66,
    enters: 2,
    fills: true,
    patterns: [{ kick: 'X.......X.X.....', snare: '....X.......X...', hat: 'x.x.x.x.x.x.x.x.' }],
  },
  echoBeats: 0.75,
  roomSize: 0.7,
};

/** Three voices and a noise generator, as in a video game of 1988. */
export const CHIPTUNE: Style = {
  progressions: [
    [1, 5, 6, 4],
    [1, 4, 5, 1],
    [6, 4, 5, 1],
  ],
  chordTones: 3,
  parts: [
    {
      instrument: 'square lead',
      role: { does: 'tune', center: 9, density: 'busy' },
      gain: 0.4,
      pan: 0.12,
      reverb: 0.06,
      echo: 0.25,
    },
    {
      instrument: 'pulse lead',
      role: { does: 'break', center: 67, pattern: '0120120120120123' },
      gain: 0.2,
      pan: -0.3,
      reverb: 0.05,
    },
    {
      instrument: 'chip bass',
      role: { does: 'bass', pattern: '1.1.8.1.1.1.8.5.', octave: 1 },
      gain: 0.55,
      enters: 1,
    },
  ],
  drums: {
    kit: 'chip',
    gain: 0.5,
    enters: 1,
    fills: true,
    patterns: [{ kick: 'x...x...x...x...', snare: '....x.......x..x', hat: 'x.x.x.x.x.x.x.x.' }],
  },
  echoBeats: 0.5,
  roomSize: 0.2,
};

/** Half-time drums, a deep bass, and a dark bell. */
export const TRAP: Style = {
  progressions: [
    [1, 6, 1, 5],
    [1, 1, 6, 7],
    [1, 4, 6, 5],
  ],
  chordTones: 3,
  parts: [
    {
      instrument: 'bell',
      role: { does: 'tune', center: 9, density: 'even' },
      gain: 0.3,
      pan: 0.15,
      reverb: 0.35,
      echo: 0.3,
    },
    { instrument: 'pad', role: { does: 'hold', center: 58 }, gain: 0.2, wide: true, reverb: 0.4 },
    {
      instrument: 'sub bass',
      role: { does: 'bass', pattern: ['1-----..1-....1-', '1-----....1---..'] },
      gain: 0.72,
      enters: 2,
    },
    {
      instrument: 'pulse lead',
      role: { does: 'break', center: 74, pattern: ['0.......2.......', '1.......2...1...'] },
      gain: 0.2,
      pan: -0.4,
      reverb: 0.4,
      echo: 0.6,
      enters: 4,
    },
  ],
  drums: {
    kit: 'deep',
    gain: 0.68,
    enters: 2,
    patterns: [
      { kick: 'X.....x...x.....', clap: '........X.......', hat: 'xoxoxoxoxoxoxxxx' },
      {
        kick: 'X..x......x..x..',
        clap: '........X.......',
        hat: 'xoxoxxxxxoxoxoxo',
        'open hat': '..............o.',
      },
    ],
  },
  echoBeats: 0.75,
  roomSize: 0.6,
};
