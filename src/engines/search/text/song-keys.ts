/** The semitones above C of notes by their names: the letters, the German names, and the syllables. */
const NOTES: Readonly<Record<string, number>> = {
  ...{ c: 0, d: 2, e: 4, f: 5, g: 7, a: 9, b: 11, h: 11 },
  ...{ his: 0, cis: 1, dis: 3, eis: 5, fis: 6, gis: 8, ais: 10 },
  ...{ des: 1, es: 3, fes: 4, ges: 6, as: 8, ces: 11 },
  ...{ do: 0, ut: 0, re: 2, ré: 2, mi: 4, fa: 5, sol: 7, la: 9, si: 11 },
};

const SHARP = ['#', '♯', 'sharp', 'dièse', 'diese', 'sostenido', 'diesis'];
const FLAT = ['b', '♭', 'flat', 'bémol', 'bemol', 'bemolle'];
const GERMAN = ['dur', 'moll'];
const MINOR = ['m', 'mi', 'min', 'minor', 'moll', 'mineur', 'menor', 'minore'];
const MAJOR = ['maj', 'major', 'dur', 'majeur', 'mayor', 'maior', 'maggiore'];

const oneOf = (words: readonly string[]) =>
  `(${words.toSorted((a, b) => b.length - a.length).join('|')})`;
const GAP = '[ _\\p{Pd}]*';
const SPELLING = new RegExp(
  `^${oneOf(Object.keys(NOTES))}(?:${GAP}${oneOf([...SHARP, ...FLAT])})?` +
    `(?:${GAP}${oneOf([...MINOR, ...MAJOR])})?\\.?$`,
  'u',
);
/** Camelot, such as 8A, and Open Key, such as 1m. */
const WHEEL = /^0?([1-9]|1[0-2])([abdm])$/;
/** The semitones above C of the first hour of a wheel. Each further one is a fifth higher. */
const FIRST_HOURS: Readonly<Record<string, number>> = { a: 8, b: 11, d: 0, m: 9 };

const NAMES = ['C', 'C#', 'D', 'Eb', 'E', 'F', 'F#', 'G', 'Ab', 'A', 'Bb', 'B'];

/**
 * Returns the one name of a major or minor key in any notation, such as `Bb minor` for `A# minor`, `b-moll`, `3A` and
 * `8m`; undefined for a text that is no such key. A note alone means its major key, H is B, and B is B flat before a German
 * word only (docs/contract/search.md#keys).
 */
export function keyName(text: string): string | undefined {
  const given = text.normalize('NFC').trim().toLowerCase();
  const [, hour, wheel] = WHEEL.exec(given) ?? [];
  if (hour !== undefined) {
    const isMinor = wheel === 'a' || wheel === 'm';
    return named(FIRST_HOURS[wheel!]! + 7 * (Number(hour) - 1), isMinor);
  }
  const [, note, accidental, mode = 'major'] = SPELLING.exec(given) ?? [];
  if (note === undefined) return undefined;
  const isGermanB = note === 'b' && accidental === undefined && GERMAN.includes(mode);
  const raised = accidental === undefined ? 0 : SHARP.includes(accidental) ? 1 : -1;
  return named(NOTES[note]! + raised - Number(isGermanB), MINOR.includes(mode));
}

/** Returns a text that is equal for keys that mean the same: the name of a key, or the text itself in lower case. */
export function meaningOf(key: string): string {
  return keyName(key) ?? key.toLowerCase();
}

function named(semitones: number, isMinor: boolean): string {
  return `${NAMES[(semitones + 12) % 12]} ${isMinor ? 'minor' : 'major'}`;
}
