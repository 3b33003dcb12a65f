import fc from 'fast-check';
import { expect, it } from 'vitest';
import { detectedOf, type FilledColumns, filled, withDetected } from './detected.ts';

const bpms = fc.constantFrom('90', '120', '128.5');
const keys = fc.constantFrom<string[]>(['A minor'], ['C major', 'G major']);
const values = fc.record({ bpm: bpms, songKey: keys }, { requiredKeys: [] });
const delivered = fc.record({
  bpm: fc.oneof(fc.constant(''), bpms),
  songKeys: fc.oneof(
    fc.constant('[]'),
    keys.map((list) => JSON.stringify(list)),
  ),
});

/** What a reader of the API sees. */
const shown = (columns: FilledColumns) => ({
  ...{ bpm: columns.bpm, songKeys: columns.songKeys },
  detected: Object.keys(detectedOf(columns)),
});

it('fills what was not delivered, and never what was', () =>
  fc.assert(
    fc.property(delivered, values, (given, found) => {
      const after = filled({ ...given, detected: null }, found);
      expect(shown(after)).toEqual({
        bpm: given.bpm || (found.bpm ?? ''),
        songKeys: given.songKeys === '[]' ? JSON.stringify(found.songKey ?? []) : given.songKeys,
        detected: [
          ...(given.bpm === '' && found.bpm !== undefined ? ['bpm'] : []),
          ...(given.songKeys === '[]' && found.songKey !== undefined ? ['songKey'] : []),
        ],
      });
    }),
  ));

it('depends only on what was delivered and on the last analysis', () =>
  fc.assert(
    fc.property(delivered, values, values, (given, first, second) => {
      const once = filled({ ...given, detected: null }, second);
      expect(filled(filled({ ...given, detected: null }, first), second)).toEqual(once);
      expect(filled(once, second)).toEqual(once);
      expect(withDetected(given, second)).toEqual(once);
    }),
  ));

it('takes a value that an earlier program has delivered over a fill for delivered', () => {
  const stale = {
    bpm: '91',
    songKeys: '["A minor"]',
    detected: '{"bpm":"120","songKey":["A minor"]}',
  };
  expect(detectedOf(stale)).toEqual({ songKey: ['A minor'] });
  expect(filled(stale, { bpm: '120' })).toEqual({ bpm: '91', songKeys: '[]', detected: null });
});
