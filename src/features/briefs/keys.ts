const KEY = /^([a-g])[ -]?(#|♯|sharp|b|♭|flat)?[ -]?(maj|major|dur|m|min|minor|moll)$/i;

/** A key such as `A minor` or `a-moll` as `A minor`; none for a text that is no key. */
export function keySpellings(text: string): string[] {
  const [, note, accidental = '', mode = ''] = KEY.exec(text) ?? [];
  if (note === undefined) return [];
  const sign = accidental === '' ? '' : /^(?:#|♯|sharp)$/i.test(accidental) ? '#' : 'b';
  const isMinor = mode === 'm' || /^(?:min|minor|moll)$/i.test(mode);
  return [`${note.toUpperCase()}${sign} ${isMinor ? 'minor' : 'major'}`];
}
