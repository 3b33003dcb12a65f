import type { IndexEntry } from '../catalog/catalog-index.ts';
import { KERNEL_FROM, withBitMemory } from './bit-memory.ts';
import { catalogOrder } from './catalog-order.ts';
import type { SegmentColumns } from './columns.ts';
import {
  assembled,
  buildSection,
  countWordsOf,
  SECTION_NAMES,
  type SectionName,
  type Sections,
} from './segment-sections.ts';
import { type CollectedTracks, TrackCollector } from './track-collector.ts';

const TRACKS_A_STEP = 512;

/** Options of a segment. Tests set them. */
export interface SegmentOptions {
  /** The number of tracks from which dense pieces get bitsets, and bitsets a memory for the bit kernel. */
  kernelFrom?: number;
}

/** Builds a segment of the tracks, in steps of a few milliseconds. */
export function* buildSegment(
  entries: Iterable<IndexEntry>,
  seq: number,
  options?: SegmentOptions,
): Generator<void, SegmentColumns> {
  const collector = new TrackCollector();
  for (const entry of entries) {
    collector.add(entry);
    if (collector.size % TRACKS_A_STEP === 0) yield;
  }
  return yield* segmentOf([collector.collected], seq, options);
}

/** Builds a segment of all tracks of all parts, in steps of a few milliseconds. */
export function* segmentOf(
  parts: readonly CollectedTracks[],
  seq: number,
  { kernelFrom = KERNEL_FROM }: SegmentOptions = {},
): Generator<void, SegmentColumns> {
  const found = yield* catalogOrder(parts.map(({ values }) => values));
  const context = { order: found.order, isLarge: found.order.length >= kernelFrom };
  const sections: Partial<Record<SectionName, unknown>> = {};
  for (const name of SECTION_NAMES) {
    sections[name] = yield* buildSection(name, partsOf(parts, name), context);
  }
  const built = sections as unknown as Sections;
  const columns = assembled(found, built, yield* countWordsOf(built, context), seq);
  return context.isLarge ? withBitMemory(columns) : columns;
}

function partsOf<N extends SectionName>(
  parts: readonly CollectedTracks[],
  name: N,
): readonly CollectedTracks[N][] {
  return parts.map((part) => part[name]);
}
