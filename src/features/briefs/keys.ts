const KEY = /^([a-g])[ -]?(#|♯|sharp|b|♭|flat)?[ -]?(maj|major|dur|m|min|minor|moll)$/i;

/** The name of a key such as `A minor`; undefined for a text that is no key. */
export function keyName(text: string): string | undefined {
  const [, note, accidental = '', mode = ''] = KEY.exec(text) ?? [];
  if (note === undefined) return undefined;
  const sign = accidental === '' ? '' : /^(?:#|♯|sharp)$/i.test(accidental) ? '#' : 'b';
  const isMinor = mode === 'm' || /^(?:min|minor|moll)$/i.test(mode);
  return `${note.toUpperCase()}${sign} ${isMinor ? 'minor' : 'major'}`;
}
