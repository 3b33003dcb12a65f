import { describe, expect, it } from 'vitest';
import { read, shown } from './briefs.test-support.ts';

/** What a brief of one amount says. */
const only = (brief: string) => {
  const parts = shown(brief);
  return parts.length === 1 ? parts[0]!.replace(` ${brief} `, ' ') : parts;
};

describe('a tempo', () => {
  it.each([
    ['90 bpm', '85.5..94.5'],
    ['90bpm', '85.5..94.5'],
    ['bpm: 90', '85.5..94.5'],
    ['tempo of around 90', '81..99'],
    ['tempo under 90', '..90'],
    ['around 90 bpm', '81..99'],
    ['ungefähr 90 bpm', '81..99'],
    ['ca. 90 bpm', '81..99'],
    ['approx. 90 bpm', '81..99'],
    ['~90 bpm', '81..99'],
    ['90~100 bpm', '90..100'],
    ['max. 100 bpm', '..100'],
    ['< 100 bpm', '..100'],
    ['>120 bpm', '120..'],
    ['environ 90 bpm', '81..99'],
    ['alrededor de 90 bpm', '81..99'],
    ['90-100 bpm', '90..100'],
    ['90 - 100 bpm', '90..100'],
    ['90 – 100 bpm', '90..100'],
    ['100 to 90 bpm', '90..100'],
    ['between 90 and 100 bpm', '90..100'],
    ['zwischen 90 und 100 bpm', '90..100'],
    ['entre 90 et 100 bpm', '90..100'],
    ['entre 90 y 100 bpm', '90..100'],
    ['under 100 bpm', '..100'],
    ['at least 120 bpm', '120..'],
    ['über 120 bpm', '120..'],
    ['92.5 beats per minute', '87.88..97.13'],
  ])('%s is hard', (brief, range) => expect(only(brief)).toBe(`tempo = ${range}!`));

  it.each([
    ['slow', '..80'],
    ['langsam', '..80'],
    ['mid-tempo', '81..120'],
    ['fast', '120.001..'],
    ['rápida', '120.001..'],
  ])('%s is soft', (brief, range) => expect(only(brief)).toBe(`tempo = ${range}`));
});

describe('a length', () => {
  it.each([
    ['2:30', '135..165'],
    ['30 s', '27..33'],
    ['30s', '27..33'],
    ['30 seconds', '27..33'],
    ['10 Sekunden', '8..12'],
    ['60s', '54..66'],
    ['two minutes', '108..132'],
    ['zwei Minuten', '108..132'],
    ['deux minutes', '108..132'],
    ['1.5 min', '81..99'],
    ['half a minute', '27..33'],
    ['eine halbe Minute', '27..33'],
    ['2 min 30', '135..165'],
    ['2 minutes and 30 seconds', '135..165'],
    ['2m30s', '135..165'],
    ['under two minutes', '..120'],
    ['moins de deux minutes', '..120'],
    ['menos de dos minutos', '..120'],
    ['höchstens 3 Minuten', '..180'],
    ['over a minute', '60..'],
    ['at least 2:30', '150..'],
    ['1-2 minutes', '60..120'],
    ['between one and two minutes', '60..120'],
    ['30 to 45 seconds', '30..45'],
    ['no more than 30 s', '..30'],
    ['30-second', '27..33'],
    ['1:30 – 2:00', '90..120'],
    ['1 hour', '3240..3960'],
    ['an hour', '3240..3960'],
    ['under half an hour', '..1800'],
    ['at least two hours', '7200..'],
    ['2h', '6480..7920'],
    ['1h30', '4860..5940'],
    ['1 hour 30 minutes', '4860..5940'],
    ['eine Stunde', '3240..3960'],
    ['moins d’une heure', '..3600'],
    ['menos de una hora', '..3600'],
  ])('%s is hard', (brief, range) => expect(only(brief)).toBe(`length = ${range}!`));

  it('is no decade, time of day or number alone', () => {
    expect(shown('the 90s, at 2 am, 7, 4/4, 2:3')).toEqual([]);
  });
});

describe('a length in words', () => {
  const lengthsOf = (brief: string) => shown(brief).filter((one) => one.startsWith('length'));

  it.each([
    'three seconds before the bridge collapses',
    'they wait an hour in the rain',
    'a second chance',
    'in zwei Minuten explodiert alles',
    'une heure avant le départ',
    'espera dos minutos en la puerta',
  ])('is no wish in a story: %s', (brief) => expect(lengthsOf(brief)).toEqual([]));

  it.each([
    ['dark jazz, two minutes', 'two minutes = 108..132!'],
    ['two minutes dark jazz', 'two minutes = 108..132!'],
    ['a two-minute jazz song', 'two-minute = 108..132!'],
    ['dark jazz, three seconds long', 'three seconds = 1..5!'],
    ['dark jazz lasting two minutes', 'two minutes = 108..132!'],
    ['they wait for at least two minutes in the rain', 'at least two minutes = 120..!'],
    ['3 seconds before the bridge collapses', '3 seconds = 1..5!'],
  ])('is one elsewhere, and with a digit or a bound: %s', (brief, length) => {
    expect(lengthsOf(brief)).toEqual([`length ${length}`]);
  });
});

describe('a phrase with a length', () => {
  it('says how long something else takes', () => {
    for (const brief of ['an hour of study', 'one minute of silence', 'une heure de sport']) {
      expect(shown(brief).filter((one) => one.startsWith('length'))).toEqual([]);
    }
    expect(shown('30 seconds of piano')[0]).toBe('length 30 seconds = 27..33!');
    expect(shown('under a minute of piano')[0]).toBe('length under a minute = ..60!');
  });
});

describe('a release', () => {
  it.each([
    ['after 2020', '2021-01-01..'],
    ['nach 2020', '2021-01-01..'],
    ['since 2020', '2020-01-01..'],
    ['before 2010', '..2009-12-31'],
    ['until 2010', '..2010-12-31'],
    ['in 2019', '2019-01-01..2019-12-31'],
    ['2019', '2019-01-01..2019-12-31'],
    ['from 2019 on', '2019-01-01..'],
    ['2015-2018', '2015-01-01..2018-12-31'],
    ['between 2015 and 2018', '2015-01-01..2018-12-31'],
    ['new', '2025-11-29..'],
    ['neue', '2025-11-29..'],
  ])('%s is hard', (brief, range) => expect(only(brief)).toBe(`release = ${range}!`));

  it.each([
    'Paris in 1940',
    'un bal de 1940',
    'a bar, 1958',
    'a city in 2077',
    'from 1914 to 1918',
  ])('is not the year of a scene: %s', (brief) => expect(shown(brief)).toEqual([]));

  it.each([
    ['jazz since 1998', 'since 1998 = 1998-01-01..'],
    ['jazz before 1960', 'before 1960 = ..1959-12-31'],
    ['jazz released in 1998', 'released in 1998 = 1998-01-01..1998-12-31'],
    ['jazz, erschienen 1998', 'erschienen 1998 = 1998-01-01..1998-12-31'],
  ])('is an early year behind a word that says so: %s', (brief, release) => {
    expect(shown(brief)).toContain(`release ${release}!`);
  });

  it('is not `new` before something unknown or in a name', () => {
    expect(shown('a new beginning')).toEqual([]);
    expect(shown('released after 2020')).toEqual(['release after 2020 = 2021-01-01..!']);
    expect(shown('new releases')).toEqual(['release new = 2025-11-29..!']);
    expect(shown('new age')).toEqual(['filter new age = new-age']);
    expect(shown('new jazz')).toEqual(['release new = 2025-11-29..!', 'filter jazz = jazz']);
  });
});

describe('a key', () => {
  it.each([
    ['A minor', 'A minor'],
    ['in A minor', 'A minor'],
    ['a-moll', 'A minor'],
    ['F#m', 'F# minor'],
    ['C-Dur', 'C major'],
    ['Bb major', 'Bb major'],
    ['in 8A', 'A minor'],
    ['H-Dur', 'B major'],
    ['B-Dur', 'Bb major'],
    ['Fis-Moll', 'F# minor'],
    ['A# minor', 'Bb minor'],
    ['la mineur', 'A minor'],
  ])('%s is soft', (brief, key) => expect(only(brief)).toBe(`key = ${key}`));

  it('is no article and no word', () => {
    expect(shown('I am in a major city, a minor crisis')).toEqual([]);
    expect(shown('A flat landscape, in E, la la land')).toEqual([]);
  });
});

describe('hard parts', () => {
  it('do not contradict each other: the first counts', () => {
    const { understood, ignored } = read('over 60 s, under 2 min, over 5 min, music. sfx');
    expect(understood.map(({ text }) => text)).toEqual(['over 60 s', 'under 2 min', 'music']);
    expect(ignored).toEqual(['over 5 min', 'sfx']);
  });
});
