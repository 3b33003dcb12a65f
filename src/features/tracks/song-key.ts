const KEY = /^([a-g])[ -]?(#|♯|sharp|b|♭|flat)?[ -]?(maj|major|m|min|minor)?$/i;

/**
 * Returns the usual spellings of a musical key in another notation, such as `F# minor` and `F♯ minor` for `f#m`; none for
 * a text that is no key.
 */
export function keySpellings(text: string): string[] {
  const [, note, accidental = '', mode = 'major'] = KEY.exec(text.trim()) ?? [];
  if (note === undefined) return [];
  const isMinor = /^m(?:in|inor)?$/i.test(mode);
  const accidentals = /^(?:#|♯|sharp)$/i.test(accidental)
    ? ['#', '♯']
    : accidental === ''
      ? ['']
      : ['b', '♭'];
  return accidentals.map((one) => `${note.toUpperCase()}${one} ${isMinor ? 'minor' : 'major'}`);
}
