import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { derivedId } from '../src/common/ids.ts';
import { type SeededRandom, seededRandom } from '../src/common/seeded-random.ts';
import type { IndexEntry } from '../src/engines/search/catalog-index.ts';
import type { TrackType } from '../src/features/catalog/track.ts';
import type { BenchFilter, RealParts } from './real-parts.ts';

/** The source of the imported catalogs. The ids of their tracks depend on it. */
export const BENCH_SOURCE = 'bench';

/** A synthetic track that consists of parts of real tracks. */
interface MadeTrack {
  /** From 1. */
  no: number;
  name: string;
  type: TrackType;
  hasVocals: boolean;
  /** In milliseconds since the epoch: midnight of some day. */
  releasedAt: number;
  durationSeconds: number;
  /** 0 if unknown, as for a quarter of the tracks. */
  bpm: number;
  /** `''` if unknown, as for half of the tracks. */
  songKey: string;
  artist: string;
  filters: readonly BenchFilter[];
}

/**
 * `count` tracks that consist of parts of real ones: the words of two real names, a real artist, the filters of a
 * real record, and a real duration, key and year. A generator with a fixed seed selects them, so every run
 * has the same catalog, and a smaller catalog is the beginning of a larger one. Three names in a hundred have
 * a word that exists nowhere else, so that the dictionary grows as real ones do.
 */
function* madeTracks(count: number, parts: RealParts): Generator<MadeTrack> {
  const random = seededRandom('a catalog to measure');
  for (let no = 1; no <= count; no++) {
    const name = madeName(random, parts);
    yield {
      no,
      name: random.next() < 0.03 ? `${name} ${uniqueWord(no, name)}` : name,
      type: random.next() < 0.07 ? 'sfx' : 'music',
      hasVocals: random.next() < 0.3,
      releasedAt: Date.UTC(random.pick(parts.years), 0, random.integer(1, 365)),
      durationSeconds: random.pick(parts.durations),
      bpm: random.next() < 0.75 ? random.integer(60, 180) : 0,
      songKey: random.next() < 0.5 ? random.pick(parts.songKeys) : '',
      artist: random.pick(parts.artists),
      filters: random.pick(parts.filterLists),
    };
  }
}

/** The first words of one real name and of another. */
function madeName(random: SeededRandom, { beginnings }: RealParts): string {
  return `${random.pick(beginnings)} ${random.pick(beginnings)}`;
}

/** A pronounceable word that is unique to the number: the first letters of the name, and syllables. */
function uniqueWord(no: number, name: string): string {
  let word = /^[a-z]{1,3}/i.exec(name)?.[0].toLowerCase() ?? '';
  for (let left = no; left > 0; left = Math.floor(left / SYLLABLES)) {
    const syllable = left % SYLLABLES;
    word += CONSONANTS[Math.floor(syllable / VOWELS.length)]! + VOWELS[syllable % VOWELS.length]!;
  }
  return `${word}q`;
}
const CONSONANTS = 'bdfghjklmnprstvz';
const VOWELS = 'aeiou';
const SYLLABLES = CONSONANTS.length * VOWELS.length;

/** Which tracks of a synthetic catalog are translated. */
export interface Translated {
  /** Each track whose number is a multiple of this one. */
  every: number;
  languages: readonly string[];
}

const UNTRANSLATED: Translated = { every: 1, languages: [] };

/** The languages of a track's translations. */
function languagesOf({ no }: MadeTrack, { every, languages }: Translated): readonly string[] {
  return no % every === 0 ? languages : [];
}

/**
 * Returns a text in another language: other letters for the ASCII ones, always the same. A language thus has as many
 * words as the original, of the same lengths and frequencies.
 */
function translation(text: string, language: string): string {
  const distance = (language.charCodeAt(0) + language.charCodeAt(1)) % 25;
  return text.replace(/[a-z]/gi, (letter) => {
    const first = letter < 'a' ? 65 : 97;
    return String.fromCharCode(first + ((letter.charCodeAt(0) - first + 1 + distance) % 26));
  });
}

/** Writes `count` records in the form of Stave, one per line, for `stave import --source bench`. */
export async function writeCatalog(
  path: string,
  count: number,
  parts: RealParts,
  translated = UNTRANSLATED,
): Promise<void> {
  const out = createWriteStream(path);
  let chunk = '';
  for (const track of madeTracks(count, parts)) {
    const languages = languagesOf(track, translated);
    chunk += `${JSON.stringify(importRecord(track, languages))}\n`;
    if (chunk.length > 1 << 20) {
      if (!out.write(chunk)) await once(out, 'drain');
      chunk = '';
    }
  }
  out.end(chunk);
  await once(out, 'finish');
}

function importRecord(track: MadeTrack, languages: readonly string[]): object {
  const { name, type, hasVocals, durationSeconds } = track;
  return {
    externalId: externalId(track.no),
    name,
    type,
    durationSeconds,
    releaseDate: new Date(track.releasedAt).toISOString(),
    hasVocals,
    ...(track.bpm > 0 && { bpm: track.bpm }),
    ...(track.songKey !== '' && { songKey: track.songKey }),
    artists: [{ name: track.artist, role: 'MAIN_ARTIST', isPrimary: true }],
    tags: tagsOf(track),
    filters: track.filters.map((filter) => ({ type: filter.type, name: filter.name })),
    ...(languages.length > 0 && { translations: translationsOf(track, languages) }),
  };
}

function translationsOf(track: MadeTrack, languages: readonly string[]): object {
  const tags = tagsOf(track);
  return Object.fromEntries(
    languages.map((language) => [
      language,
      {
        name: translation(track.name, language),
        tags: tags.map((tag) => translation(tag, language)),
      },
    ]),
  );
}

/** Tags repeat the filters, as those of suppliers do. */
function tagsOf({ filters }: MadeTrack): string[] {
  return filters.map(({ name }) => name.toLowerCase());
}

/** The same tracks as index entries after their import, with ids. */
export function* indexEntries(
  count: number,
  parts: RealParts,
  translated = UNTRANSLATED,
): Generator<IndexEntry> {
  const filterIds = new Map(
    parts.filterLists.map((list) => [list as readonly BenchFilter[], list.map(({ id }) => id)]),
  );
  for (const track of madeTracks(count, parts)) {
    yield {
      rowId: track.no,
      id: trackId(track.no),
      name: track.name,
      type: track.type,
      hasVocals: track.hasVocals,
      isInstrumental: !track.hasVocals,
      hasAudio: false,
      releasedAt: track.releasedAt,
      durationSeconds: track.durationSeconds,
      bpm: track.bpm,
      songKeys: track.songKey === '' ? [] : [track.songKey],
      filterIds: filterIds.get(track.filters)!,
      isrc: '',
      region: 'WORLD',
      artists: [track.artist],
      tags: tagsOf(track),
      ...aliasesOf(track, languagesOf(track, translated)),
    };
  }
}

function aliasesOf(
  track: MadeTrack,
  languages: readonly string[],
): Pick<IndexEntry, 'aliases' | 'aliasTags'> {
  if (languages.length === 0) return {};
  const tags = tagsOf(track);
  return {
    aliases: languages.map((language) => translation(track.name, language)),
    aliasTags: languages.flatMap((language) => tags.map((tag) => translation(tag, language))),
  };
}

/** A track with a word in its name that no other has. */
export interface UniquelyNamed {
  id: string;
  word: string;
}

/** The first `count` such tracks of a catalog of `size` tracks. */
export function uniquelyNamed(size: number, count: number, parts: RealParts): UniquelyNamed[] {
  const found: UniquelyNamed[] = [];
  for (const { no, name } of madeTracks(size, parts)) {
    if (found.length === count) break;
    const word = uniqueWord(no, name);
    if (name.endsWith(` ${word}`)) found.push({ id: trackId(no), word });
  }
  return found;
}

/** The id that an import gives the track of this number. */
/** The id of a track of the synthetic catalog. */
export function trackId(no: number): string {
  return derivedId('track', BENCH_SOURCE, externalId(no));
}

function externalId(no: number): string {
  return `bench-${no}`;
}
