import { KEY_KINDS, soundsOfName, soundsOfText } from '../../common/text/forms/sounds.ts';
import { fold } from '../../common/text/search-form.ts';
import type { TrackState } from '../availability/availability.ts';

/** A letter of a script without spaces, whose words are found by any part. */
const WITHOUT_SPACES =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

export const MAX_WORDS = 20;

/**
 * Returns what to look for in a folded text: each word of `text` must begin a word there, whatever the case and the
 * accents. The list is empty if the text has no letter or digit.
 */
export function wordsOf(text: string): string[] {
  const words = fold(text).split(' ');
  return [...new Set(words)]
    .filter((word) => word !== '')
    .map((word) => (WITHOUT_SPACES.test(word) ? word : ` ${word}`));
}

/** Returns a text that contains each of the words of `wordsOf` that the given texts have. */
export function foldedText(...texts: (string | null)[]): string {
  return ` ${fold(texts.filter((text) => text !== null).join(' '))}`;
}

/** Returns what to look for in the `soundsOf` a name in another script, which then has this word of `wordsOf`. */
export function keysOf(word: string): string[] {
  const keys = KEY_KINDS.flatMap((kind) => soundsOfText(word.trim(), kind));
  return keys.map((key) => ` ${key}`);
}

/** How a name in another script is romanized, as keys; blank for other names. */
export function soundsOf(name: string): string {
  return ` ${soundsOfName(name).join(' ')}`;
}

/** A track of any state, as the operator finds it. */
export interface FoundTrack {
  rowId: number;
  id: string;
  slug: string;
  name: string;
  /** Without repetitions, in the order of the credits. */
  artists: string[];
  state: TrackState;
  source: string;
  externalId: string | null;
  /** '' if it is unknown. */
  isrc: string;
}

/** A track that seems to be the same recording as another one. */
export interface Twin extends FoundTrack {
  /** Whether the ISRC is the same. Otherwise the name, an artist and, within two seconds, the length are. */
  hasSameIsrc: boolean;
}

/** The tracks of a source. All counts but `takenDown` are of those that are live or unavailable. */
export interface SourceCounts {
  source: string;
  tracks: number;
  /** Taken down or withdrawn. */
  takenDown: number;
  withoutAudio: number;
  withoutIsrc: number;
  withoutArtwork: number;
  /** The tracks that seem to be the same recording as another one, of any source. */
  duplicates: number;
  /** The tracks whose availability will change. */
  comingSwitches: number;
  /** The moment of the first of these changes, in milliseconds since the epoch; null if there is none. */
  nextSwitchAt: number | null;
}

/** Which tracks to find. Each member that is given restricts them. */
export interface TrackQuery {
  /** Each begins a word of the name, an artist, the slug, the id, the external id or the ISRC (`wordsOf`, `keysOf`). */
  words: readonly string[];
  source?: string | undefined;
  state?: TrackState | undefined;
}

/** The most tracks whose state changes in one transaction: some 10 ms under the write lock. */
export const STATE_SLICE = 250;
