import { expect, it } from 'vitest';
import { DEMO, type Judged, judge, scoreOf } from './known.ts';

/** Of six styles. Of one, neither the tempo nor the key is found. */
const SAMPLE = [
  'Harbour at First Light',
  'Paper Boats',
  'Seventh Street Stroll',
  'The Cartographer',
  'Basement Sunrise',
  'Level Select',
];

it('fills tempos and keys of a sample of the demo catalog, at most one of them wrong', async () => {
  const judged: Judged[] = [];
  for (const name of SAMPLE) judged.push(await judge(DEMO.find((music) => music.name === name)!));
  const tempo = scoreOf(judged, 'tempo');
  expect(tempo.filled).toBeGreaterThanOrEqual(4);
  expect(tempo.right).toBe(tempo.filled);
  const key = scoreOf(judged, 'key');
  expect(key.filled).toBeGreaterThanOrEqual(4);
  expect(key.right).toBeGreaterThanOrEqual(key.filled - 1);
});
