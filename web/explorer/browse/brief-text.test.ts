import { expect, it } from 'vitest';
import { meaningOf, type Part } from './brief-text.ts';

const nameOf = (slug: string) => ({ dark: 'Dark' })[slug];

it.each<[Partial<Part>, string]>([
  [{ text: 'dark', kind: 'filter', filter: 'dark' }, ''],
  [{ text: 'gloomy', kind: 'filter', filter: 'dark', weight: 0.736 }, 'Dark 74 %'],
  [{ text: 'mysterious', kind: 'filter', filter: 'not-shown' }, 'not-shown'],
  [{ text: 'like Ines Vardal', kind: 'artist', artist: 'Ines Vardal' }, 'Ines Vardal'],
  [{ text: 'around 90 bpm', kind: 'tempo', min: 81, max: 99 }, '81 – 99 BPM'],
  [{ text: 'slow', kind: 'tempo', max: 80 }, 'up to 80 BPM'],
  [{ text: 'under two minutes', kind: 'length', max: 119 }, 'up to 1:59'],
  [{ text: 'after 2020', kind: 'release', min: '2021-01-01' }, 'from 2021-01-01'],
  [{ text: 'no vocals', kind: 'vocals', value: 'instrumental' }, 'instrumental'],
  [{ text: 'house', kind: 'word', value: 'house', weight: 0.5 }, '50 %'],
])('%j means %s', (part, meaning) => {
  expect(meaningOf({ text: '', kind: '', weight: 1, ...part }, nameOf)).toBe(meaning);
});
