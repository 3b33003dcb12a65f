import { foldedName } from '../canonical/text.ts';
import { PARENT } from '../explain/members.ts';

/** Words before the name of a member that only say what the record is: `track_title`, `songLength`. */
const GENERIC = new Set(
  'track song recording item cue asset audio music primary main original display release full the'.split(
    ' ',
  ),
);
/** Words before a name that say that it belongs to something else: `artist_name`. */
const OTHERS = new Set(
  'artist composer writer author label publisher genre user license licence uploader image file'.split(
    ' ',
  ),
);
/** Words after a name that only say how it is written: `singer_list`. */
const LISTS = new Set(['list', 'lists', 'array', 'json']);
const EXACT = 1000;
/** The lowest score of a name that does not speak of something else, such as an album. */
export const CLEAR = 400;

/** Returns the words of a name: `trackTitle (EN)` has `track`, `Title` and `EN`. */
function wordsOf(name: string): string[] {
  return name
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

export function lastName(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

/** Rates how much a name means the same as a synonym, of which the first are the best; 0 if it does not. */
export function nameScore(path: string, synonyms: readonly string[]): number {
  const isParent = path.startsWith(PARENT);
  const own = isParent ? path.slice(PARENT.length) : path;
  const name = lastName(own);
  const depth = own.split('.').length - 1;
  const nesting = depth * 40 + (isParent ? 300 : 0);
  const score = (word: string, from: number) => {
    const at = synonyms.indexOf(word);
    return at < 0 ? 0 : Math.max(1, from - at - nesting);
  };
  const whole = synonyms.indexOf(foldedName(own));
  if (whole >= 0) {
    return EXACT - whole - (isParent ? 300 : 0);
  }
  const direct =
    score(foldedName(name), EXACT) || score(foldedName(name.replace(/\(.*?\)/g, '')), 900);
  if (direct > 0) {
    return direct;
  }
  const words = wordsOf(name.replace(/\(.*?\)/g, ''));
  if (words.length > 1 && LISTS.has(words.at(-1)!.toLowerCase())) words.pop();
  for (let from = 0; from < words.length; from++) {
    const before = words.slice(0, from).map((word) => word.toLowerCase());
    const isGeneric = before.every((word) => GENERIC.has(word) || synonyms.includes(word));
    const isOther = before.some((word) => OTHERS.has(word));
    const rest = score(
      foldedName(words.slice(from).join('')),
      isGeneric ? 800 : isOther ? 50 : 200,
    );
    if (rest > 0) {
      return rest;
    }
  }
  return 0;
}

/** Returns the members whose name means the same as one of the synonyms, the best one first. */
export function namedMembers<T extends { path: string }>(
  members: readonly T[],
  synonyms: readonly string[],
  weigh = (score: number, _member: T) => score,
): T[] {
  return members
    .map((member) => ({ member, score: nameScore(member.path, synonyms) }))
    .filter(({ score }) => score >= CLEAR)
    .map(({ member, score }) => ({ member, score: weigh(score, member) }))
    .toSorted((one, other) => other.score - one.score)
    .map(({ member }) => member);
}

/** Names that suppliers use for a value, without spaces and in lower case. The first ones are the best. */
const words = (text: string): readonly string[] => text.trim().split(/\s+/);

export const SYNONYMS = {
  externalId: words(
    `externalid trackid songid recordingid id uuid guid uid identifier sku trackcode code assetid itemid
    productid cueid workid workno worknumber catalognumber catalogno catno reference ref key isrc number no nr nummer katalognr katalognummer`,
  ),
  name: words(
    'name title tracktitle trackname songtitle songname song recordingtitle cuetitle worktitle displaytitle track titel titre titulo título titolo filetitle recording cue work composition piece label',
  ),
  type: words('type kind tracktype contenttype mediatype assettype category class'),
  durationSeconds: words(
    `durationseconds durationsec durationsecs durationms durationmillis lengthms durationmilliseconds milliseconds ms
    lenms len dur duration length runtime tracklength tracktime totaltime playtime playingtime seconds secs lengthseconds
    lengthinseconds durationinseconds time dauer länge laufzeit durée duración decodedseconds`,
  ),
  bpm: words('bpm tempo beatsperminute tempobpm bpmtempo'),
  songKey: words('songkey musicalkey keysignature key tonality tonart'),
  timeSignature: words('timesignature timesig meter metre taktart'),
  releaseDate: words(
    `releasedate releasedat released originalreleasedate digitalreleasedate streetdate publishdate publicationdate
    published publishedat dateofrelease releaseyear yearreleased date year erscheinungsdatum datecreated createdat dateadded`,
  ),
  isrc: words('isrc isrccode isrcnumber'),
  iswc: words('iswc iswccode'),
  language: words('language lang languagecode lyricslanguage sprache'),
  hasVocals: words('hasvocals vocals vocal hasvocal withvocals isvocal vox'),
  instrumental: words('instrumental isinstrumental'),
  isPRO: words('ispro pro proregistered proaffiliated'),
  audio: words(
    'audio audiofile audiopath file filename filepath path wav mp3 wavfile mp3file audiofilename dateiname datei location',
  ),
  artwork: words(
    'artwork artworkfile cover coverart coverfile coverimage image imagefile picture albumart',
  ),
} as const;

const ROLE_NAMES: readonly (readonly [role: string, synonyms: readonly string[]])[] = [
  [
    'MAIN_ARTIST',
    words(
      `artist artists artistname artistnames mainartist primaryartist performer performers band trackartist
      displayartist singer singers vocalist vocalists author authors creator creators interpret künstler artiste artista uploader albumartist`,
    ),
  ],
  [
    'FEATURED_ARTIST',
    words('featuredartist featuredartists featuring feat featured guestartist guestartists'),
  ],
  [
    'COMPOSER',
    words(
      'composer composers composername writer writers songwriter songwriters writtenby composedby komponist compositeur compositor',
    ),
  ],
  ['LYRICIST', words('lyricist lyricists lyricsby textdichter')],
  ['PRODUCER', words('producer producers producedby')],
  ['REMIXER', words('remixer remixers remixedby')],
  ['ARRANGER', words('arranger arrangers arrangedby')],
  ['PUBLISHER', words('publisher publishers publishername verlag')],
];

export const ROLES = ROLE_NAMES.map(
  ([role, names]) =>
    [role, [...names, ...names.flatMap((name) => [`${name}name`, `${name}names`])]] as const,
);

/** Places in a list, such as a chart, which are another track's next week. */
export const POSITIONS = words(
  `rank ranking chartrank position pos chartposition place index idx row rownumber rownum rowid line linenumber tracknumber
  trackno tracknum trackposition discnumber sequence sequencenumber seq order sortorder unnamed0 peak`,
);

/** Parts of a work, of which each is a track. */
export const PARTS_OF_WORKS = words(
  'movement movementname movementtitle mouvement satz subtitle section',
);

export const VERSIONS = words(
  'version versiontitle versionname mix mixname remix subtitle edition',
);

export const ALBUMS = words('album albumtitle albumname release releasetitle');

export const CREDIT_LISTS = words(
  'artists credits contributors people participants writers composers performers interestedparties',
);

export const WORDS: readonly (readonly [
  'genre' | 'mood' | 'use-case' | 'tag',
  readonly string[],
])[] = [
  [
    'genre',
    words(
      'genre genres genrename maingenre primarygenre subgenre subgenres secondarygenre style styles',
    ),
  ],
  ['mood', words('mood moods stimmung feel emotion emotions')],
  ['use-case', words('usecase usecases usage usages use suitablefor')],
  [
    'tag',
    words(
      'tag tags keyword keywords kw instrument instruments instrumentation themes theme category categories',
    ),
  ],
];
