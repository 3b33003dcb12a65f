import type { Style } from '../compose/compose.ts';

/** Muffled drums, a warm electric piano and a slow vibraphone. */
export const LOFI: Style = {
  progressions: [
    [2, 5, 1, 6],
    [4, 3, 2, 1],
    [1, 6, 2, 5],
  ],
  chordTones: 5,
  swing: { pair: 0.5, ratio: 0.58 },
  parts: [
    {
      instrument: 'electric piano',
      role: { does: 'strike', center: 60, pattern: ['x-----x---x-----', 'x-----..x-----x-'] },
      gain: 0.42,
      pan: -0.1,
      reverb: 0.2,
      echo: 0.1,
    },
    {
      instrument: 'soft bass',
      role: { does: 'bass', pattern: '1-----1---5---a-' },
      gain: 0.62,
      enters: 1,
    },
    {
      instrument: 'vibraphone',
      role: { does: 'tune', center: 9, density: 'even' },
      gain: 0.45,
      pan: 0.25,
      reverb: 0.3,
      echo: 0.3,
      enters: 3,
    },
    { instrument: 'pad', role: { does: 'hold', center: 64 }, gain: 0.1, wide: true, reverb: 0.4 },
  ],
  drums: {
    kit: 'dusty',
    gain: 0.62,
    enters: 1,
    patterns: [
      { kick: 'x.....x...x.....', snare: '....x.......x..o', hat: 'x.o.x.o.x.o.x.o.' },
      { kick: 'x.....x..x......', snare: '....x..o....x...', hat: 'x.o.x.o.x.o.x.xo' },
    ],
  },
  echoBeats: 0.75,
  roomSize: 0.4,
};

/** A walking bass, a ride cymbal and a relaxed vibraphone. */
export const JAZZ: Style = {
  progressions: [
    [2, 5, 1, 6],
    [1, 6, 2, 5],
    [3, 6, 2, 5],
  ],
  chordTones: 4,
  swing: { pair: 1, ratio: 0.64 },
  parts: [
    {
      instrument: 'electric piano',
      role: { does: 'strike', center: 60, pattern: ['..x-....x---....', '....x-....x-x---'] },
      gain: 0.36,
      pan: -0.25,
      reverb: 0.22,
    },
    { instrument: 'upright bass', role: { does: 'bass', pattern: '1---3---5---a---' }, gain: 0.85 },
    {
      instrument: 'vibraphone',
      role: { does: 'tune', center: 9, density: 'busy', plain: false },
      gain: 0.5,
      pan: 0.2,
      reverb: 0.28,
      enters: 2,
    },
  ],
  drums: {
    kit: 'soft',
    gain: 0.95,
    patterns: [{ ride: 'x.x.xox.x.x.xox.', hat: '....x.......x...', kick: 'o.......o.......' }],
  },
  echoBeats: 1,
  roomSize: 0.45,
};

/** Nylon strings, a flute, and a syncopated beat. */
export const BOSSA: Style = {
  progressions: [
    [1, 6, 2, 5],
    [1, 4, 2, 5],
    [2, 5, 3, 6],
  ],
  chordTones: 4,
  parts: [
    {
      instrument: 'guitar',
      role: { does: 'strike', center: 60, pattern: ['x-....x-..x---..', '..x---x-..x-....'] },
      gain: 0.42,
      pan: -0.2,
      reverb: 0.2,
    },
    { instrument: 'upright bass', role: { does: 'bass', pattern: '1-----5-5-----1-' }, gain: 0.8 },
    {
      instrument: 'flute',
      role: { does: 'tune', center: 8, density: 'even', plain: false },
      gain: 0.44,
      pan: 0.2,
      reverb: 0.3,
      enters: 2,
    },
  ],
  drums: {
    kit: 'soft',
    gain: 0.5,
    enters: 1,
    patterns: [{ shaker: 'xoxoxoxoxoxoxoxo', rim: 'x..x..x...x..x..', kick: 'x.....x.x.....x.' }],
  },
  echoBeats: 0.75,
  roomSize: 0.4,
};

/** A tight rhythm section with brass. */
export const FUNK: Style = {
  progressions: [
    [1, 4],
    [1, 1, 4, 5],
    [2, 5],
  ],
  chordTones: 4,
  swing: { pair: 0.5, ratio: 0.54 },
  parts: [
    {
      instrument: 'guitar',
      role: { does: 'strike', center: 66, pattern: ['x.x...x..x.x..x.', 'x..x..x.x..x.x..'] },
      gain: 0.32,
      pan: -0.4,
      reverb: 0.08,
    },
    {
      instrument: 'electric piano',
      role: { does: 'strike', center: 58, pattern: '......x---......' },
      gain: 0.34,
      pan: 0.3,
      reverb: 0.15,
      enters: 1,
    },
    {
      instrument: 'synth bass',
      role: { does: 'bass', pattern: ['1..1..8.1-..5.8.', '1..1..8...5-3.a.'] },
      gain: 0.62,
    },
    {
      instrument: 'brass',
      role: { does: 'strike', center: 67, pattern: ['................', '........x..x--..'] },
      gain: 0.3,
      wide: true,
      reverb: 0.2,
      enters: 2,
    },
    {
      instrument: 'lead',
      role: { does: 'tune', center: 8, density: 'busy' },
      gain: 0.3,
      pan: 0.1,
      reverb: 0.15,
      echo: 0.2,
      enters: 4,
    },
  ],
  drums: {
    kit: 'acoustic',
    gain: 0.68,
    fills: true,
    patterns: [
      { kick: 'X..x..o...x.....', snare: '....X..o.o..X..o', hat: 'x.xox.x.x.xox.x.' },
      { kick: 'X..x......x..x..', snare: '....X..o.o..X...', hat: 'x.xox.x.x.x.x.ox' },
    ],
  },
  echoBeats: 0.75,
  roomSize: 0.3,
};

/** Chords off the beat, much bass, and a rhythmic echo. */
export const DUB: Style = {
  progressions: [
    [1, 4],
    [1, 5, 6, 4],
    [1, 7],
  ],
  chordTones: 3,
  parts: [
    {
      instrument: 'organ',
      role: { does: 'strike', center: 64, pattern: '....x.......x...' },
      gain: 0.42,
      pan: -0.2,
      reverb: 0.25,
      echo: 0.6,
    },
    {
      instrument: 'soft bass',
      role: { does: 'bass', pattern: ['1---..1-3-5-....', '1---..5---8-a-..'] },
      gain: 0.85,
    },
    {
      instrument: 'lead',
      role: { does: 'tune', center: 7, density: 'sparse' },
      gain: 0.26,
      pan: 0.2,
      reverb: 0.3,
      echo: 0.5,
      enters: 3,
    },
  ],
  drums: {
    kit: 'acoustic',
    gain: 0.6,
    enters: 1,
    patterns: [{ kick: '........X.......', rim: '........x......x', hat: 'x.x.x.x.x.x.x.xo' }],
  },
  echoBeats: 0.75,
  roomSize: 0.6,
};
