/** The type of a segment's arrays. All lie in shared memory, so that threads can pass them without copying. */
export type Column = Uint8Array | Uint16Array | Uint32Array | Float64Array;

/** The numbers of labels: with two bytes each if there are few enough labels. */
export type LabelNumbers = Uint16Array | Uint32Array;

export const ISRC_LENGTH = 12;

export interface NameColumns {
  /**
   * The words of each name as positions in the dictionary, in order and with repetitions: first the words of
   * the glued form, then, if the name has one, those of the form that is split at apostrophes.
   */
  tokens: Uint32Array;
  /** The words of name `i` are at `tokenStarts[i]` to `tokenStarts[i + 1] - 1`. */
  tokenStarts: Uint32Array;
  /** Where the split form of each name begins; `tokenStarts[i + 1]` if the name has none. */
  splitStarts: Uint32Array;
}

/** Names, sorted by each of their two forms. */
export interface NameOrderColumns {
  /** All names, sorted by their glued form. */
  byName: Uint32Array;
  /** The names that have a split form, sorted by it. */
  bySplitName: Uint32Array;
}

/** The data of each track, by ordinal. */
export interface TrackColumns extends NameColumns {
  rowIds: Uint32Array;
  /** The UUIDs as four words each, the most significant first. */
  ids: Uint32Array;
  /** An open-addressed hash table from id to ordinal + 1; 0 marks a free entry. Its length is a power of two. */
  idTable: Uint32Array;
  /** Milliseconds since the epoch. */
  releasedAt: Float64Array;
  /** In seconds; 0 if unknown. */
  durations: Uint32Array;
  /** In thousandths of a beat per minute; 0 if unknown. */
  bpms: Uint32Array;
  /** The names in NFC and UTF-8, end to end. The name of ordinal `i` begins at `nameStarts[i]`. */
  names: Uint8Array;
  nameStarts: Uint32Array;
  /** The label numbers of each track, ascending. */
  labels: LabelNumbers;
  labelStarts: Uint32Array;
  /** The ISRCs as twelve bytes each; all 0 if unknown. */
  isrcs: Uint8Array;
  /** The tracks that have an ISRC, sorted by it. */
  byIsrc: Uint32Array;
  /** The sounds as 64 signed bytes each (`sets/sounds.ts`); all 0 if unknown. Empty if all are. */
  sounds: Uint32Array;
  /** The signs of the sounds, two words each. */
  soundSigns: Uint32Array;
}

/** Words, sorted by UTF-16 units, and the tracks that each word occurs in. */
export interface DictionaryColumns {
  units: Uint16Array;
  /** Word `i` has the units from `starts[i]` to `starts[i + 1] - 1`. */
  starts: Uint32Array;
  postings: Uint32Array;
  postingStarts: Uint32Array;
  /** Pieces of one, two and three units, sorted by key, and the words that each of them occurs in. */
  gramKeys1: Uint32Array;
  gramKeys2: Uint32Array;
  gramKeys3: Uint32Array;
  gramStarts1: Uint32Array;
  gramStarts2: Uint32Array;
  gramStarts3: Uint32Array;
  gramWords1: Uint32Array;
  gramWords2: Uint32Array;
  gramWords3: Uint32Array;
  /**
   * The words in buckets by the typo variants of their beginnings (`typos.ts`): bucket `i` is at
   * `typoStarts[i]` to `typoStarts[i + 1] - 1`. Both columns are empty if typos are not forgiven.
   */
  typoStarts: Uint32Array;
  typoWords: Uint32Array;
  /**
   * The bitsets of the dense pieces (`DictionaryMeta`), one after another. Their members are tracks, even if
   * the postings are values.
   */
  pieceBits: Uint32Array;
}

/**
 * Dense pieces: pieces of words whose tracks are stored as a bitset. The position of a piece in its list is
 * the slot of its bitset.
 */
export interface DictionaryMeta {
  densePieces: readonly string[];
  denseBeginnings: readonly string[];
}

/** The values of a field that a track may have several of, such as artists. Each distinct value is stored once. */
export interface ValueColumns extends NameColumns, NameOrderColumns {
  /** The values as delivered, in NFC and UTF-8, end to end. Value `i` begins at `textStarts[i]`. */
  texts: Uint8Array;
  textStarts: Uint32Array;
  /** The values of each track, by ordinal, without repetitions. */
  values: Uint32Array;
  valueStarts: Uint32Array;
  /** The tracks of each value, ascending. */
  owners: Uint32Array;
  ownerStarts: Uint32Array;
  /**
   * The sum of the numbers of tracks of all values that contain each word. A track counts once for each such
   * value.
   */
  wordOwners: Uint32Array;
}

/**
 * The other forms of the texts of a field (common/text/forms), with their tracks. The words of the glued form are those of
 * the form in order; those of the split form are the words that the written text does not have. Only these have postings,
 * which are tracks, and of them only pieces are indexed that the written text may not have (`Cuts`). There are no dense pieces
 * and no typos.
 */
export type FormColumns = Omit<ValueColumns, 'values' | 'valueStarts' | 'wordOwners'> &
  DictionaryColumns;

/** The fields of texts that may have other forms: the names, artists and tags of tracks, and the translations of these. */
export const FORM_FIELDS = [
  'nameForms',
  'artistForms',
  'tagForms',
  'aliasForms',
  'aliasTagForms',
] as const;
export type FormFieldName = (typeof FORM_FIELDS)[number];

/** The tracks of each label: a bitset if that is smaller, otherwise a sorted list of ordinals. */
export interface LabelListColumns {
  counts: Uint32Array;
  /** `denseSlots[i] - 1` is the slot of the bitset of a dense label; 0 means that the label is sparse. */
  denseSlots: Uint32Array;
  dense: Uint32Array;
  /** For each dense label, the number of its tracks in each block. */
  denseBlocks: Uint32Array;
  sparse: Uint32Array;
  sparseStarts: Uint32Array;
}

/** The numbers of tracks that have several labels (`label-counts.ts`). They are empty in a small segment. */
export interface LabelCountColumns {
  /** By kind and label: the number of tracks of the kind that have the label. */
  kindCounts: Uint32Array;
  /** `pairSlots[i] - 1` is the row of a frequent label in `pairs`; 0 means that the label has no row. */
  pairSlots: Uint32Array;
  /** By row, kind and label: the number of tracks of the kind that have both labels. */
  pairs: Uint32Array;
  /** `triplePlaces[i] - 1` is the place of a frequent label among the frequent ones; 0 for other labels. */
  triplePlaces: Uint32Array;
  /** By places, the greatest first, and kind: the number of tracks of the kind that have all three labels. */
  triples: Uint32Array;
}

export type LabelColumns = LabelListColumns & LabelCountColumns;

/** The ordinals, sorted in orders other than the catalog order. Ties are in catalog order. */
export interface OrderColumns extends NameOrderColumns {
  /** By name, without articles and by the values of numbers. */
  bySortedName: Uint32Array;
  /** The position of each ordinal in `bySortedName`. */
  nameRanks: Uint32Array;
  byBpm: Uint32Array;
  byDuration: Uint32Array;
  byRowId: Uint32Array;
}

/** The numbers of tracks whose names have a word (`word-counts.ts`). They are not counted in a small segment. */
export interface WordCountColumns {
  /** By word and kind: the number of tracks of the kind whose names have the word. */
  wordKinds: Uint32Array;
  /** By slot of a dense piece and kind: the number of tracks of the kind whose names have the piece. */
  pieceKinds: Uint32Array;
  /**
   * For each word, the tracks whose names have another word that shares a piece of three units with it,
   * ascending.
   */
  similar: Uint32Array;
  similarStarts: Uint32Array;
  /**
   * For each word, and for the end of the words, the position in `byName` of the first name that begins with
   * it or a later word.
   */
  firstNames: Uint32Array;
}

/** A segment as plain data. Threads pass it to each other, and a snapshot stores it. */
export interface SegmentColumns extends Record<FormFieldName, FormColumns> {
  meta: {
    size: number;
    /** The `seq` up to which all changes of the change log are in the segment. */
    seq: number;
    /** The language of the catalog, whose articles do not count when names are sorted. */
    language?: string | undefined;
    /** The labels by number: `filter:<id>`, `type:music`, `vocals:true`, `key:c major`. */
    labels: readonly string[];
    words: DictionaryMeta;
    symbols: DictionaryMeta;
    artistWords: DictionaryMeta;
    tagWords: DictionaryMeta;
    aliasWords: DictionaryMeta;
    aliasTagWords: DictionaryMeta;
  };
  tracks: TrackColumns;
  labels: LabelColumns;
  words: DictionaryColumns;
  wordCounts: WordCountColumns;
  symbols: DictionaryColumns;
  artists: ValueColumns;
  artistWords: DictionaryColumns;
  tags: ValueColumns;
  tagWords: DictionaryColumns;
  /** The translated names and tags. */
  aliases: ValueColumns;
  aliasWords: DictionaryColumns;
  aliasTags: ValueColumns;
  aliasTagWords: DictionaryColumns;
  orders: OrderColumns;
  /** The memory of sounds, `labels.dense` and all `pieceBits`, with room for scratch sets; absent for a small segment. */
  memory?: BitMemory;
}

/** Allocates columns of zeros in shared memory. */
export const shared = {
  bytes: (length: number) => new Uint8Array(new SharedArrayBuffer(length)),
  uint16: (length: number) => new Uint16Array(new SharedArrayBuffer(length * 2)),
  uint32: (length: number) => new Uint32Array(new SharedArrayBuffer(length * 4)),
  float64: (length: number) => new Float64Array(new SharedArrayBuffer(length * 8)),
};

export function sharedUint32(numbers: ArrayLike<number>): Uint32Array {
  const column = shared.uint32(numbers.length);
  column.set(numbers);
  return column;
}

/** @param labelCount the number of all labels; all numbers are less */
export function labelNumbers(numbers: Uint32Array, labelCount: number): LabelNumbers {
  if (labelCount > 2 ** 16) return numbers;
  const column = shared.uint16(numbers.length);
  column.set(numbers);
  return column;
}

const LISTS_PER_STEP = 16_384;

/**
 * Makes, from a list of items of each owner, the list of owners of each of `count` items, in steps of a few milliseconds.
 * The owners of an item are ascending and without repetitions.
 * @param starts where the items of each owner end, and those of the next begin
 * @param begins where the items of each owner begin, if they are not all that lie before its end
 */
export function* inverted(
  items: Uint32Array,
  starts: Uint32Array,
  count: number,
  begins = starts,
): Generator<void, { owners: Uint32Array; ownerStarts: Uint32Array }> {
  /** For each item, its last owner so far, plus 1. */
  const lastOwner = new Uint32Array(count);
  const ownerStarts = shared.uint32(count + 1);
  for (let owner = 0; owner + 1 < starts.length; owner++) {
    for (let i = begins[owner]!; i < starts[owner + 1]!; i++) {
      const item = items[i]!;
      if (lastOwner[item] === owner + 1) continue;
      lastOwner[item] = owner + 1;
      ownerStarts[item + 1]!++;
    }
    if (owner % LISTS_PER_STEP === LISTS_PER_STEP - 1) yield;
  }
  for (let item = 0; item < count; item++) ownerStarts[item + 1]! += ownerStarts[item]!;
  const owners = shared.uint32(ownerStarts[count]!);
  const next = ownerStarts.slice();
  lastOwner.fill(0);
  yield;
  for (let owner = 0; owner + 1 < starts.length; owner++) {
    for (let i = begins[owner]!; i < starts[owner + 1]!; i++) {
      const item = items[i]!;
      if (lastOwner[item] === owner + 1) continue;
      lastOwner[item] = owner + 1;
      owners[next[item]!++] = owner;
    }
    if (owner % LISTS_PER_STEP === LISTS_PER_STEP - 1) yield;
  }
  return { owners, ownerStarts };
}

/** A memory for the bit kernel, which threads share. */
export interface BitMemory {
  /** The bytes of the memory. The buffer has the length that the memory had when the property was read. */
  readonly buffer: SharedArrayBuffer;
  /** Adds pages of zeros, and returns where they begin, in pages. Throws if the memory cannot grow. */
  grow(pages: number): number;
}
