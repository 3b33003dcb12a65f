/** What is written into an audio file. */
export interface AudioTags {
  title: string;
  /** The primary one first. */
  artists: readonly string[];
  isrc?: string | undefined;
  iswc?: string | undefined;
  composers?: readonly string[] | undefined;
  publishers?: readonly string[] | undefined;
  album?: string | undefined;
  copyright?: string | undefined;
  cover?: Cover | undefined;
  /** Texts under names of our own, such as `LICENSE`. */
  texts?: readonly (readonly [name: string, value: string])[] | undefined;
  /** Where the license is described. */
  licenseUrl?: string | undefined;
}

export interface Cover {
  contentType: 'image/jpeg' | 'image/png';
  bytes: Uint8Array;
}

/** The fields that every format has under a name of its own. */
const FIELDS = [
  ...(['title', 'artists', 'isrc', 'iswc', 'composers', 'publishers'] as const),
  ...(['album', 'copyright'] as const),
] as const;
export type FieldName = (typeof FIELDS)[number];

/** Those that replace what a file says. The others are written where it says nothing. */
const REPLACING: ReadonlySet<FieldName> = new Set(['title', 'artists', 'isrc']);

/** The name of the text that repeats the URL of the license, for players that show only texts. */
const LICENSE_URL = 'LICENSE_URL';

export interface Field {
  name: FieldName;
  /** At least one. None is empty, or has control characters. */
  values: readonly string[];
  replaces: boolean;
}

export function fieldsOf(tags: AudioTags): Field[] {
  return FIELDS.flatMap((name) => {
    const values = [tags[name] ?? []].flat().map(clean).filter(Boolean);
    return values.length === 0 ? [] : [{ name, values, replaces: REPLACING.has(name) }];
  });
}

/** Returns the texts under names of our own. They replace those of a file. */
export function textsOf({ texts = [], licenseUrl }: AudioTags): (readonly [string, string])[] {
  const all = licenseUrl === undefined ? texts : [...texts, [LICENSE_URL, licenseUrl] as const];
  return all.map(([name, value]) => [name, clean(value)] as const);
}

/** Formats end texts with NUL, and separate them by line. */
function clean(text: string): string {
  return text
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .trim();
}
