import type { Style } from '../compose/compose.ts';

/** Driving strings, with brass and large drums. */
export const CINEMATIC: Style = {
  progressions: [
    [1, 6, 3, 7],
    [1, 4, 6, 5],
    [6, 4, 1, 5],
  ],
  chordTones: 3,
  parts: [
    {
      instrument: 'strings',
      role: { does: 'strike', center: 60, pattern: 'X.x.x.X.x.x.X.x.' },
      gain: 0.3,
      wide: true,
      reverb: 0.35,
    },
    {
      instrument: 'strings',
      role: { does: 'bass', pattern: '1---------------' },
      gain: 0.5,
      reverb: 0.3,
    },
    {
      instrument: 'brass',
      role: { does: 'hold', center: 55 },
      gain: 0.3,
      wide: true,
      reverb: 0.4,
      enters: 4,
    },
    {
      instrument: 'strings',
      role: { does: 'tune', center: 9, density: 'sparse' },
      gain: 0.42,
      pan: 0.2,
      reverb: 0.4,
      enters: 2,
    },
    {
      instrument: 'bell',
      role: {
        does: 'break',
        center: 76,
        pattern: ['0...............', '........2.......'],
        ring: 2,
      },
      gain: 0.2,
      pan: -0.4,
      reverb: 0.5,
      enters: 4,
    },
  ],
  drums: {
    kit: 'deep',
    gain: 0.62,
    enters: 2,
    fills: true,
    patterns: [
      { kick: 'X...............', tom: 'X..x..x.x..x..x.' },
      { kick: 'X.......x.......', tom: 'X..x..x.x.x.xxxx' },
    ],
  },
  echoBeats: 1,
  roomSize: 0.9,
};

/** Bright music for an advertisement. */
export const UPLIFTING: Style = {
  progressions: [
    [1, 5, 6, 4],
    [4, 1, 5, 6],
  ],
  chordTones: 3,
  parts: [
    {
      instrument: 'piano',
      role: { does: 'strike', center: 64, pattern: 'X---x---X---x-x-' },
      gain: 0.24,
      pan: -0.15,
      reverb: 0.2,
    },
    {
      instrument: 'marimba',
      role: { does: 'break', center: 72, pattern: '0.1.2.1.3.2.1.2.' },
      gain: 0.66,
      pan: 0.35,
      reverb: 0.2,
      echo: 0.2,
      enters: 1,
    },
    {
      instrument: 'soft bass',
      role: { does: 'bass', pattern: '1-------1---5-a-' },
      gain: 0.6,
      enters: 2,
    },
    {
      instrument: 'strings',
      role: { does: 'tune', center: 9, density: 'sparse' },
      gain: 0.26,
      wide: true,
      reverb: 0.35,
      enters: 4,
    },
  ],
  drums: {
    kit: 'acoustic',
    gain: 0.5,
    enters: 4,
    fills: true,
    patterns: [{ kick: 'x...x...x...x...', clap: '....x.......x...', shaker: 'o.x.o.x.o.x.o.x.' }],
  },
  echoBeats: 0.75,
  roomSize: 0.5,
};
