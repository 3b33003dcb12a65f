import { type FormColumns, inverted, type SegmentColumns } from '../segments/columns.ts';
import type { TextLists } from '../text/text-numbers.ts';
import { WordList } from '../text/word-list.ts';
import type { CollectedTracks } from './track-collector.ts';

const TEXTS_PER_STEP = 2_048;

/**
 * Takes a segment apart again, in steps of a few milliseconds. The result is what a TrackCollector would collect from its
 * tracks, but no name is read again. It contains all tracks, and texts that no live track has; a build leaves them out.
 * @param live the live tracks, as a bitset
 */
export function* collectedFrom(
  columns: SegmentColumns,
  live: Uint32Array,
): Generator<void, CollectedTracks> {
  const { meta, tracks, words, symbols } = columns;
  const gluedCounts = new Uint32Array(meta.size);
  for (let ordinal = 0; ordinal < meta.size; ordinal++) {
    gluedCounts[ordinal] = tracks.splitStarts[ordinal]! - tracks.tokenStarts[ordinal]!;
  }
  yield;
  // A segment has only the tracks of each run of symbols.
  const runs = yield* inverted(symbols.postings, symbols.postingStarts, meta.size);
  return {
    live,
    values: { ...tracks, nameEnds: tracks.nameStarts.subarray(1) },
    words: {
      ...listsOf(yield* wordsOf(words), tracks.tokens, tracks.tokenStarts),
      gluedCounts,
    },
    artists: yield* fieldOf(columns.artists),
    tags: yield* fieldOf(columns.tags),
    aliases: yield* fieldOf(columns.aliases),
    aliasTags: yield* fieldOf(columns.aliasTags),
    symbols: listsOf(yield* wordsOf(symbols), runs.owners, runs.ownerStarts),
    nameForms: yield* formsOf(columns.nameForms, meta.size),
    artistForms: yield* formsOf(columns.artistForms, meta.size),
    tagForms: yield* formsOf(columns.tagForms, meta.size),
    aliasForms: yield* formsOf(columns.aliasForms, meta.size),
    aliasTagForms: yield* formsOf(columns.aliasTagForms, meta.size),
    labels: listsOf(meta.labels, tracks.labels, tracks.labelStarts),
  };
}

function listsOf(
  texts: readonly string[],
  numbers: TextLists['numbers'],
  starts: Uint32Array,
): TextLists {
  return { texts, numbers, ends: starts.subarray(1) };
}

function* fieldOf(field: SegmentColumns['artists']): Generator<void, TextLists> {
  return listsOf(yield* textsOf(field), field.values, field.valueStarts);
}

function* formsOf(field: FormColumns, size: number): Generator<void, TextLists> {
  // A segment has only the tracks of each form.
  const forms = yield* inverted(field.owners, field.ownerStarts, size);
  return listsOf(yield* textsOf(field), forms.owners, forms.ownerStarts);
}

function* wordsOf({ units, starts }: WordUnits): Generator<void, string[]> {
  const list = new WordList(units, starts);
  const words: string[] = [];
  for (let word = 0; word < list.length; word++) {
    words.push(list.text(word));
    if (word % TEXTS_PER_STEP === TEXTS_PER_STEP - 1) yield;
  }
  return words;
}

type WordUnits = Pick<SegmentColumns['words'], 'units' | 'starts'>;

function* textsOf({
  texts,
  textStarts,
}: Pick<SegmentColumns['artists'], 'texts' | 'textStarts'>): Generator<void, string[]> {
  const found: string[] = [];
  for (let value = 0; value + 1 < textStarts.length; value++) {
    // Decoders refuse shared memory, so the bytes are copied first.
    const bytes = Buffer.from(texts.subarray(textStarts[value], textStarts[value + 1]));
    found.push(bytes.toString());
    if (value % TEXTS_PER_STEP === TEXTS_PER_STEP - 1) yield;
  }
  return found;
}
