import type { IndexEntry } from '../catalog-index.ts';
import { type CatalogOrder, catalogOrder } from '../segments/catalog-order.ts';
import type { SegmentColumns } from '../segments/columns.ts';
import {
  type AllSections,
  assembled,
  buildLaterSection,
  buildSection,
  type LaterInput,
  type LaterName,
  type LaterSections,
  SECTION_NAMES,
  type SectionContext,
  type SectionName,
  type Sections,
} from '../segments/segment-sections.ts';
import { KERNEL_FROM, newBitMemory, overBitMemory } from '../sets/bit-kernel.ts';
import { runSteps } from './steps.ts';
import { type CollectedTracks, TrackCollector } from './track-collector.ts';

const TRACKS_PER_STEP = 512;

export interface SegmentOptions {
  /** The number of tracks from which dense pieces get bitsets, and bitsets a memory for the bit kernel. */
  kernelFrom?: number;
}

export function* buildSegment(
  entries: Iterable<IndexEntry>,
  seq: number,
  options?: SegmentOptions,
): Generator<void, SegmentColumns> {
  const collector = new TrackCollector();
  for (const entry of entries) {
    collector.add(entry);
    if (collector.size % TRACKS_PER_STEP === 0) yield;
  }
  return yield* segmentOf([collector.collected], seq, options);
}

export function* segmentOf(
  parts: readonly CollectedTracks[],
  seq: number,
  options?: SegmentOptions,
): Generator<void, SegmentColumns> {
  const found = yield* catalogOrder(parts);
  const context = contextOf(found, options);
  const sections: Partial<Record<SectionName, unknown>> = {};
  for (const name of SECTION_NAMES) {
    sections[name] = yield* buildSection(name, membersOf(parts, name), context);
  }
  const built = sections as unknown as Sections;
  const nameOrders = yield* buildLaterSection('nameOrders', built, context);
  const wordCounts = yield* buildLaterSection('wordCounts', built, context);
  return segmentFrom(found, context, { ...built, nameOrders, wordCounts }, seq);
}

/** Does the steps of a build elsewhere, for instance in other threads. */
export interface ElsewhereBuilder {
  /** Does what buildSection does. May free the memory of the parts. */
  section<N extends SectionName>(
    name: N,
    parts: readonly CollectedTracks[N][],
    context: SectionContext,
  ): Promise<Sections[N]>;
  laterSection<N extends LaterName>(
    name: N,
    input: LaterInput,
    context: SectionContext,
  ): Promise<LaterSections[N]>;
}

/** Builds a segment of all tracks of all parts, whose sections are built elsewhere at the same time. */
export async function buildSegmentElsewhere(
  parts: readonly CollectedTracks[],
  seq: number,
  builder: ElsewhereBuilder,
): Promise<SegmentColumns> {
  const found = runSteps(catalogOrder(parts));
  const context = contextOf(found);
  const build = <N extends SectionName>(name: N) =>
    builder.section(name, membersOf(parts, name), context);
  // The longest sections begin first. All are awaited together, because one failure ends all.
  const words = build('words');
  const labels = build('labels');
  const input = Promise.all([words, labels]).then(([words, labels]) => ({ words, labels }));
  const later = <N extends LaterName>(name: N) =>
    input.then((built) => builder.laterSection(name, built, context));
  const built = await Promise.all([
    ...([words, labels, build('values'), build('artists')] as const),
    ...([build('tags'), build('symbols'), later('wordCounts'), later('nameOrders')] as const),
    ...([build('aliases'), build('aliasTags')] as const),
  ]);
  const sections = {
    ...{ words: built[0], labels: built[1], values: built[2], artists: built[3] },
    ...{ tags: built[4], symbols: built[5], wordCounts: built[6], nameOrders: built[7] },
    ...{ aliases: built[8], aliasTags: built[9] },
  };
  return segmentFrom(found, context, sections, seq);
}

function contextOf(
  { places }: CatalogOrder,
  { kernelFrom = KERNEL_FROM }: SegmentOptions = {},
): SectionContext {
  return { places, ...(places.size >= kernelFrom && { memory: newBitMemory() }) };
}

function membersOf<N extends SectionName>(
  parts: readonly CollectedTracks[],
  name: N,
): readonly CollectedTracks[N][] {
  return parts.map((part) => part[name]);
}

function segmentFrom(
  found: CatalogOrder,
  { memory }: SectionContext,
  sections: AllSections,
  seq: number,
): SegmentColumns {
  const columns = assembled(found, sections, seq);
  return memory ? overBitMemory(columns, memory) : columns;
}
