import { describe, expect, it } from 'vitest';
import { read, shown } from './briefs.test-support.ts';

describe('a negation', () => {
  it.each([
    'no',
    'not',
    'without',
    'ohne',
    'kein',
    'keine',
    'sans',
    'pas de',
    'sin',
    'ni',
    'senza',
  ])('is %s', (word) =>
    expect(shown(`jazz, ${word} drums`)).toEqual([
      'filter jazz = jazz',
      `not ${word} drums = Drums!`,
    ]),
  );

  it('reaches over or, and and commas to the next positive part', () => {
    for (const list of [
      'no drums, brass or piano, but with strings',
      'no drums, brass, piano, only strings',
      'no drums and brass and piano, with strings',
      'ohne drums, brass oder piano, aber strings',
      'sans drums ni brass ni piano, mais strings',
      'sin drums, brass o piano, pero strings',
    ]) {
      const parts = shown(list).map((part) => part.replace(/^(not|tag) .* = /, '$1 '));
      expect([list, parts]).toEqual([
        list,
        ['not Drums!', 'not Brass!', 'not piano!', 'tag strings'],
      ]);
    }
    expect(shown('no jazz, blues or rock')).toHaveLength(3);
    expect(shown('no jazz, blues or rock').every((part) => part.startsWith('not'))).toBe(true);
  });

  it('of a kind of music does not reach over the word music', () => {
    expect(shown('no jazz music, no rusty music')).toEqual(['not no jazz = jazz!']);
    expect(shown('no music')).toEqual(['type no music = sfx!']);
    expect(shown('no jazz or music').at(-1)).toBe('type music = sfx!');
  });

  it('ends with a sentence, a number, and a label after vocals or instruments', () => {
    expect(shown('no drums. Piano')).toEqual(['not no drums = Drums!', 'tag Piano = piano']);
    expect(shown('no vocals, under 2 minutes, piano')).toEqual([
      'vocals no vocals = instrumental!',
      'length under 2 minutes = ..120!',
      'tag piano = piano',
    ]);
    expect(shown('no vocals, dark, calm')).toEqual([
      'vocals no vocals = instrumental!',
      'filter dark = dark',
      'filter calm = calm',
    ]);
    expect(shown('No, I want jazz')).toEqual(['filter jazz = jazz']);
  });

  it('of an unknown word ends with an article or a word such as “at”', () => {
    expect(shown('without regret at a calm sea')).toEqual(['filter calm = calm']);
    expect(shown('without weird drums')).toEqual(['not drums = Drums!']);
    expect(shown('no shouting, drums')).toEqual(['not drums = Drums!']);
  });

  it('reaches labels after vocals or instruments in a list with or', () => {
    for (const list of ['no drums, jazz or blues', 'ohne Gesang, Jazz oder Blues, aber calm']) {
      const parts = shown(list).filter((part) => part.startsWith('not'));
      expect([list, parts.slice(-2)]).toEqual([
        list,
        [expect.stringMatching(/= jazz!$/), expect.stringMatching(/= blues!$/)],
      ]);
    }
    expect(shown('no vocals, dark, with jazz or blues').slice(1)).toEqual([
      'filter dark = dark',
      'filter jazz = jazz',
      'filter blues = blues',
    ]);
  });

  it('ignores unknown words', () => {
    const { understood, ignored, phrases } = read('jazz without shouting or brass');
    expect(understood.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      'filter jazz',
      'not brass',
    ]);
    expect([ignored, phrases]).toEqual([['shouting'], []]);
  });

  it('turns numbers, types and vocals around', () => {
    expect(shown('not over 100 bpm')).toEqual(['tempo not over 100 bpm = ..100!']);
    expect(shown('not longer than 2 minutes')).toEqual([
      'length not longer than 2 minutes = ..120!',
    ]);
    expect(shown('not too slow')).toEqual(['tempo not too slow = 80.001..!']);
    expect(shown('not fast')).toEqual(['tempo not fast = ..120!']);
    expect(shown('not before 2010')).toEqual(['release not before 2010 = 2010-01-01..!']);
    expect(shown('no sound effects')).toEqual(['type no sound effects = music!']);
    expect(shown('not instrumental')).toEqual(['vocals not instrumental = vocal!']);
    expect(shown('no 90 bpm')).toEqual([]);
  });

  it('is no negation in the name of a filter', () => {
    expect(shown('no wave')).toEqual(['filter no wave = no-wave']);
  });

  it('excludes a filter in a scene, too', () => {
    expect(shown('not like a house')).toEqual(['not not like a house = house!']);
  });
});
