import type { IndexEntry } from '../catalog/catalog-index.ts';
import type { TrackType } from '../catalog/track.ts';
import { wordsFor } from './bits.ts';
import {
  ISRC_LENGTH,
  type LabelColumns,
  type OrderColumns,
  type SegmentColumns,
  type TrackColumns,
} from './columns.ts';
import { Dictionary } from './dictionary.ts';
import { filterLabel } from './labels.ts';
import { partitionPoint } from './partition-point.ts';
import { compareIds, findId, readId, writeId } from './track-id.ts';

/**
 * Tracks in catalog order, with all that a query asks of them. A track is known by its ordinal, its
 * place in that order. A view on columns, made in no time; never changes.
 */
export class Segment {
  readonly columns: SegmentColumns;
  readonly size: number;
  readonly tracks: TrackColumns;
  readonly labels: LabelColumns;
  readonly orders: OrderColumns;
  readonly words: Dictionary;
  /** What stands between the words of names, where a text without letters is looked for. */
  readonly symbols: Dictionary;
  readonly #labelNumbers: ReadonlyMap<string, number>;
  /** Of those labels that are filters, by number. */
  readonly #filterIds: readonly (readonly [label: number, id: string])[];
  readonly #wantedId = new Uint32Array(4);

  constructor(columns: SegmentColumns) {
    const { meta } = columns;
    this.columns = columns;
    this.size = meta.size;
    this.tracks = columns.tracks;
    this.labels = columns.labels;
    this.orders = columns.orders;
    const bitsLength = wordsFor(meta.size);
    this.words = new Dictionary(columns.words, meta.words, bitsLength);
    this.symbols = new Dictionary(columns.symbols, meta.symbols, bitsLength);
    this.#labelNumbers = new Map(meta.labels.map((label, number) => [label, number]));
    const prefix = filterLabel('');
    this.#filterIds = meta.labels.flatMap((label, number) =>
      label.startsWith(prefix) ? [[number, label.slice(prefix.length)] as const] : [],
    );
  }

  /** All its labels, by number. */
  get labelNames(): readonly string[] {
    return this.columns.meta.labels;
  }

  /** The number of a label; undefined where no track has it. */
  labelNumber(label: string): number | undefined {
    return this.#labelNumbers.get(label);
  }

  /** The track of an id (lower case), live or not; undefined where it holds none. */
  ordinalOf(id: string): number | undefined {
    writeId(this.#wantedId, 0, id);
    return findId(this.tracks.idTable, this.tracks.ids, this.#wantedId, 0);
  }

  /** The name in NFC. */
  name(ordinal: number): string {
    const { names, nameStarts } = this.tracks;
    // Decoding refuses shared memory, a copy of some bytes it takes.
    return Buffer.from(names.subarray(nameStarts[ordinal], nameStarts[ordinal + 1])).toString();
  }

  /** The folded name: words with single spaces between them. */
  foldedName(ordinal: number): string {
    const { tokens, tokenStarts } = this.tracks;
    let name = '';
    for (let i = tokenStarts[ordinal]!; i < tokenStarts[ordinal + 1]!; i++) {
      name += (name === '' ? '' : ' ') + this.words.words.text(tokens[i]!);
    }
    return name;
  }

  /** The track as it was given, but for the case of its keys. */
  entry(ordinal: number): IndexEntry {
    const { numbers, ids, releasedAt, durations, bpms, labels, labelStarts } = this.tracks;
    const entry = {
      no: numbers[ordinal]!,
      id: readId(ids, ordinal),
      name: this.name(ordinal),
      type: 'music' as TrackType,
      hasVocals: false,
      releasedAt: releasedAt[ordinal]!,
      durationSeconds: durations[ordinal]!,
      bpm: bpms[ordinal]! / 1000,
      songKeys: [] as string[],
      filterIds: [] as string[],
      isrc: this.isrc(ordinal),
    };
    for (let i = labelStarts[ordinal]!; i < labelStarts[ordinal + 1]!; i++) {
      const [property, value] = this.#parsedLabel(labels[i]!);
      switch (property) {
        case 'type':
          entry.type = value as TrackType;
          break;
        case 'vocals':
          entry.hasVocals = value === 'true';
          break;
        case 'key':
          entry.songKeys.push(value);
          break;
        default:
          entry.filterIds.push(value);
      }
    }
    return entry;
  }

  /** `""` where unknown. */
  isrc(ordinal: number): string {
    const { isrcs } = this.tracks;
    const start = ordinal * ISRC_LENGTH;
    return isrcs[start] === 0
      ? ''
      : String.fromCharCode(...isrcs.subarray(start, start + ISRC_LENGTH));
  }

  /** The tracks of an ISRC, in order. */
  withIsrc(isrc: string): Uint32Array {
    const { byIsrc } = this.tracks;
    const from = partitionPoint(0, byIsrc.length, (i) => this.isrc(byIsrc[i]!) < isrc);
    const to = partitionPoint(from, byIsrc.length, (i) => this.isrc(byIsrc[i]!) === isrc);
    return byIsrc.subarray(from, to);
  }

  readonly #parsedLabels: [property: string, value: string][] = [];

  #parsedLabel(label: number): [property: string, value: string] {
    let parsed = this.#parsedLabels[label];
    if (parsed === undefined) {
      const name = this.labelNames[label]!;
      const colon = name.indexOf(':');
      parsed = [name.slice(0, colon), name.slice(colon + 1)];
      this.#parsedLabels[label] = parsed;
    }
    return parsed;
  }

  /** The ids of the filters among the labels, with the counts that an array over the labels gives. */
  filterCounts(counts: ArrayLike<number>): Map<string, number> {
    const filters = new Map<string, number>();
    for (const [label, id] of this.#filterIds) {
      const count = counts[label]!;
      if (count > 0) filters.set(id, count);
    }
    return filters;
  }
}

/** Less than zero where track `a` of one segment comes before `b` of another: newest first, then id. */
export function compareInCatalog(one: Segment, a: number, other: Segment, b: number): number {
  return (
    other.tracks.releasedAt[b]! - one.tracks.releasedAt[a]! ||
    compareIds(one.tracks.ids, a, other.tracks.ids, b)
  );
}
