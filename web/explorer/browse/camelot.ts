/** A major or minor key. */
export interface Key {
  /** On the Camelot wheel: neighbors go well together, as do `A` (minor) and `B` (major) of a number. */
  code: string;
  name: string;
}

const MINOR = ['Ab', 'Eb', 'Bb', 'F', 'C', 'G', 'D', 'A', 'E', 'B', 'F#', 'C#'];
const MAJOR = ['B', 'F#', 'Db', 'Ab', 'Eb', 'Bb', 'F', 'C', 'G', 'D', 'A', 'E'];

export const MINOR_KEYS: readonly Key[] = MINOR.map((note, i) => ({
  code: `${i + 1}A`,
  name: `${note} minor`,
}));
export const MAJOR_KEYS: readonly Key[] = MAJOR.map((note, i) => ({
  code: `${i + 1}B`,
  name: `${note} major`,
}));
const KEYS = [...MINOR_KEYS, ...MAJOR_KEYS];

const PITCHES: Readonly<Record<string, number>> = { c: 0, d: 2, e: 4, f: 5, g: 7, a: 9, b: 11 };

/** The key that a text names by its code or its name, such as `8A`, `A minor` or `G# minor`. */
export function keyOf(text: string): Key | undefined {
  const folded = text.trim().toLowerCase().replace('♯', '#').replace('♭', 'b');
  const [, note, accidental, mode] = /^([a-g])(#|b)? (major|minor)$/.exec(folded) ?? [];
  if (note === undefined) return KEYS.find(({ code }) => code.toLowerCase() === folded);
  const sharps = accidental === undefined ? 0 : accidental === '#' ? 1 : -1;
  // A fifth up is a step clockwise, and a minor key is beside the major one that is a minor third above.
  const pitch = PITCHES[note]! + sharps + (mode === 'minor' ? 3 : 0);
  const place = (7 * (pitch + 13)) % 12;
  return (mode === 'minor' ? MINOR_KEYS : MAJOR_KEYS)[place];
}

/** A key of a query, as people read it. */
export function keyLabel(text: string): string {
  const key = keyOf(text);
  return key === undefined ? text : `${key.name} (${key.code})`;
}

/** The keys of a query with one more, or without it. */
export function withKey(keys: readonly string[], { code }: Key): readonly string[] | undefined {
  const others = keys.filter((one) => keyOf(one)?.code !== code);
  const next = others.length < keys.length ? others : [...keys, code];
  return next.length > 0 ? next : undefined;
}
