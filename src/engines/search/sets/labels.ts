import type { TrackType } from '../catalog-index.ts';
import {
  type BitMemory,
  type LabelListColumns,
  type LabelNumbers,
  shared,
} from '../segments/columns.ts';
import { bitsIn } from './bit-kernel.ts';
import { wordsFor } from './bits.ts';
import { countBlocks, countedBlocks } from './matches.ts';

export function filterLabel(id: string): string {
  return `filter:${id}`;
}

export function typeLabel(type: TrackType): string {
  return `type:${type}`;
}

export function vocalsLabel(hasVocals: boolean): string {
  return `vocals:${hasVocals}`;
}

/** The labels of a track that is known to have no vocals, and of one without audio. */
export const INSTRUMENTAL = 'vocals:instrumental';
export const SILENT = 'audio:false';

/** The labels of the provenance. A track has none of those of a property that is unknown. */
export const AI_LABELS = { none: 'ai:none', assisted: 'ai:assisted', generated: 'ai:generated' };
export const TRAINING_LABELS = { true: 'training:true', false: 'training:false' };

/** The labels that few queries need. */
export const RARELY_WANTED: readonly string[] = [
  INSTRUMENTAL,
  SILENT,
  ...Object.values(AI_LABELS),
  ...Object.values(TRAINING_LABELS),
];

/** The label of a region, and of the countries in which a track is available if these are not all. */
export function regionLabel(code: string, availableIn?: string): string {
  return availableIn === undefined ? `region:${code}` : `region:${code} ${availableIn}`;
}

/** @param value the label without its prefix `region:` */
export function parsedRegion(value: string): { region: string; availableIn?: string } {
  const space = value.indexOf(' ');
  return space === -1
    ? { region: value }
    : { region: value.slice(0, space), availableIn: value.slice(space + 1) };
}

/** Keys that differ only in case have the same label. */
export function keyLabel(songKey: string): string {
  return `key:${songKey.toLowerCase()}`;
}

const TRACKS_PER_STEP = 16_384;

/** The labels of each track, by ordinal, ascending. The labels of ordinal `i` begin at `labelStarts[i]`. */
export interface TrackLabels {
  labels: LabelNumbers;
  labelStarts: Uint32Array;
}

/**
 * Makes the lists of tracks of the labels from the labels of the tracks, in steps of a few milliseconds. A
 * label of more than `sparseMost` tracks gets a bitset, which is placed in the memory if one is given.
 */
export function* buildLabelLists(
  { labels, labelStarts }: TrackLabels,
  labelCount: number,
  sparseMost: number,
  memory?: BitMemory,
): Generator<void, LabelListColumns> {
  const size = labelStarts.length - 1;
  const counts = shared.uint32(labelCount);
  for (let i = 0; i < labels.length; i++) {
    counts[labels[i]!]!++;
  }
  yield;
  const denseSlots = shared.uint32(labelCount);
  const sparseStarts = shared.uint32(labelCount + 1);
  let denseCount = 0;
  for (let label = 0; label < labelCount; label++) {
    const isDense = counts[label]! > sparseMost;
    if (isDense) denseSlots[label] = ++denseCount;
    sparseStarts[label + 1] = sparseStarts[label]! + (isDense ? 0 : counts[label]!);
  }
  const bitsLength = wordsFor(size);
  const denseLength = denseCount * bitsLength;
  const dense = memory ? bitsIn(memory, denseLength) : shared.uint32(denseLength);
  const sparse = shared.uint32(sparseStarts[labelCount]!);
  const next = sparseStarts.slice();
  for (let ordinal = 0; ordinal < size; ordinal++) {
    for (let i = labelStarts[ordinal]!; i < labelStarts[ordinal + 1]!; i++) {
      const label = labels[i]!;
      const slot = denseSlots[label]!;
      if (slot === 0) {
        sparse[next[label]!++] = ordinal;
      } else {
        dense[(slot - 1) * bitsLength + (ordinal >>> 5)]! |= 1 << (ordinal & 31);
      }
    }
    if (ordinal % TRACKS_PER_STEP === TRACKS_PER_STEP - 1) yield;
  }
  const blocks = countedBlocks(size);
  const denseBlocks = shared.uint32(denseCount * blocks);
  for (let slot = 0; slot < denseCount; slot++) {
    countBlocks(
      dense.subarray(slot * bitsLength, (slot + 1) * bitsLength),
      denseBlocks.subarray(slot * blocks, (slot + 1) * blocks),
    );
    yield;
  }
  return { counts, denseSlots, dense, denseBlocks, sparse, sparseStarts };
}
