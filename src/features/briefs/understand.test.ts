import { describe, expect, it } from 'vitest';
import { read, shown } from './briefs.test-support.ts';

describe('a brief', () => {
  it('is understood as the contract shows', () => {
    const brief =
      'dark cinematic trailer, around 90 bpm, no vocals, under two minutes, like a detective in an empty house';
    const { understood, ignored, phrases } = read(brief);
    expect(shown(brief)).toEqual([
      'filter dark = dark',
      'filter cinematic = cinematic',
      'filter trailer = trailer',
      'tempo around 90 bpm = 81..99!',
      'vocals no vocals = instrumental!',
      'length under two minutes = ..120!',
      'word house = house',
    ]);
    expect(understood[0]).toMatchObject({ weight: 1, hard: false });
    expect(understood.at(-1)!.weight).toBeLessThan(1);
    expect(phrases).toEqual(['detective in an empty house']);
    expect(ignored).toEqual(phrases);
  });

  it('names filters by name, slug, translation, singular, plural and synonym, the longest first', () => {
    expect(shown('Deep house, DEEP-HOUSE, jazz')).toEqual([
      'filter Deep house = deep-house',
      'filter jazz = jazz',
    ]);
    expect(shown('dschäss')).toEqual(['filter dschäss = jazz']);
    expect(shown('trailers with drum and bass')).toEqual([
      'filter trailers = trailer',
      'filter drum and bass = drum-bass',
    ]);
    expect(shown('drum n bass and piano')).toEqual([
      'filter drum n bass = drum-bass',
      'tag piano = piano',
    ]);
    expect(shown('düstere Werbung')).toEqual([
      'filter düstere = dark',
      'filter Werbung = advertising',
    ]);
    expect(read('düsterem').understood[0]!.weight).toBeLessThan(1);
    expect(shown('Klaviere')).toEqual(['tag Klaviere = piano']);
    expect(shown('chases, car chases')).toEqual([
      'filter chases = dark',
      'filter car chases = trailer',
    ]);
  });

  it('has artists with signs in their names, and no end of a sentence behind an abbreviation', () => {
    expect(shown('like P!nk')).toEqual(['artist P!nk = P!nk']);
    expect(shown('dark, 2 min. 90 bpm')).toEqual([
      'filter dark = dark',
      'length 2 min = 108..132!',
      'tempo 90 bpm = 85.5..94.5!',
    ]);
  });

  it('compares no numbers by meaning', () => {
    expect(read('after 2020-06, jazz').phrases).toEqual([]);
    expect(read('after 2020-06, jazz').ignored).toEqual(['06']);
  });

  it('names tags, also in the singular and plural, and decades, which are no lengths', () => {
    expect(shown('pianos and a drum, 80s')).toEqual([
      'tag pianos = piano',
      'tag drum = Drums',
      'tag 80s = 80s',
    ]);
    expect(shown('electric guitars')).toEqual(['tag electric guitars = Electric Guitar']);
  });

  it('has German compounds, if their first part has a meaning', () => {
    expect(shown('ruhige Bluesstücke, keine Jazzmusik')).toEqual([
      'filter Blues = blues',
      'not keine Jazz = jazz!',
    ]);
    expect(shown('Rockmusik')).toEqual(['filter Rock = rock', 'type musik = music!']);
    // A whole word counts first.
    expect(shown('Werbemusik, Klaviermusik')).toEqual([
      'filter Werbemusik = happy',
      'tag Klaviermusik = piano',
    ]);
    expect(read('Katzenmusik').ignored).toEqual(['Katzenmusik']);
  });

  it('names artists after by and like, or of two words', () => {
    expect(shown('by Queen')).toEqual(['artist Queen = Queen']);
    expect(shown('something like Queen')).toEqual(['artist Queen = Queen']);
    expect(shown('queen of hearts')).toEqual([]);
    expect(shown('mara lindt, jazz')).toEqual([
      'artist mara lindt = Mara Lindt',
      'filter jazz = jazz',
    ]);
    expect(shown('calm jazz by johann sebastian bach')).toContain(
      'artist johann sebastian bach = Johann Sebastian Bach',
    );
    expect(shown('at night')).toEqual([]);
  });

  it('takes a filter in a scene for a word, unless it describes music', () => {
    for (const scene of ['a detective in an empty house', 'like a house', 'like in an old house']) {
      expect(shown(scene)).toEqual(['word house = house']);
    }
    expect(shown('a calm night in a dark house at the sea')).toEqual([
      'filter calm = calm',
      'filter dark = dark',
      'word house = house',
    ]);
    for (const music of [
      'a gritty house track',
      'house',
      'dark house',
      'a slow house',
      'some gritty house',
    ]) {
      expect(shown(music)).toContain('filter house = house');
    }
    expect(shown('a dark cinematic trailer')).toHaveLength(3);
    expect(shown('like deep house')).toEqual(['filter deep house = deep-house']);
    expect(shown('a flooded street in an old deep house')).toContain(
      'filter deep house = deep-house',
    );
  });

  it('says which type and whether there are vocals', () => {
    expect(shown('sound effects')).toEqual(['type sound effects = sfx!']);
    expect(shown('music with vocals')).toEqual(['type music = music!', 'vocals vocals = vocal!']);
    expect(shown('instrumental jazz')[0]).toBe('vocals instrumental = instrumental!');
    expect(shown('Musik ohne Gesang')).toEqual([
      'type Musik = music!',
      'vocals ohne Gesang = instrumental!',
    ]);
  });

  it('is ignored where nothing is understood, and phrases do not cross parts', () => {
    const { understood, ignored, phrases } = read('a rusty gate, jazz for an old friend. So be it');
    expect(understood).toHaveLength(1);
    expect(phrases).toEqual(['rusty gate', 'old friend']);
    expect(ignored).toEqual(phrases);
  });

  it('leaves out what is to be ignored', () => {
    expect(shown('dark jazz, no drums', { ignore: ['DARK', 'no drums'] })).toEqual([
      'filter jazz = jazz',
    ]);
    const { ignored, phrases } = read('rusty gate', { ignore: ['Rusty gate'] });
    expect([ignored, phrases]).toEqual([['rusty gate'], []]);
  });

  it('names the same once', () => {
    expect(shown('dark, Dark and dark music, music')).toEqual([
      'filter dark = dark',
      'type music = music!',
    ]);
  });

  it('has at most 50 concepts and 20 phrases', () => {
    const all = Array.from({ length: 80 }, (_, i) => `at least ${200 - i} bpm`).join(', ');
    const { understood, ignored } = read(all);
    expect([understood.length, ignored.length]).toEqual([50, 30]);
    const words = Array.from({ length: 60 }, (_, i) => `qx${i}`).join(', ');
    expect(read(words).phrases).toHaveLength(20);
    expect(read(words).ignored).toHaveLength(60);
  });

  it.each(['', '?!', '...', '\u0301', 'the', '🎵', '"', 'no', 'like a', 'without'])(
    'of nothing is understood as nothing: %j',
    (brief) => expect(read(brief).understood).toEqual([]),
  );
});
