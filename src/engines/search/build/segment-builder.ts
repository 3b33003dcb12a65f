import type { IndexEntry } from '../catalog-index.ts';
import { type CatalogOrder, catalogOrder } from '../segments/catalog-order.ts';
import type { SegmentColumns } from '../segments/columns.ts';
import {
  type AllSections,
  assembled,
  LATER_BUILDERS,
  type LaterInput,
  type LaterName,
  type LaterSections,
  SECTION_BUILDERS,
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
  /** The language of the catalog. */
  language?: string | undefined;
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
    sections[name] = yield* SECTION_BUILDERS[name](membersOf(parts, name) as never, context);
  }
  const built = sections as unknown as Sections;
  const nameOrders = yield* LATER_BUILDERS.nameOrders(built, context);
  const wordCounts = yield* LATER_BUILDERS.wordCounts(built, context);
  return segmentFrom(found, context, { ...built, nameOrders, wordCounts }, seq);
}

/** Does the steps of a build elsewhere, for instance in other threads. */
export interface ElsewhereBuilder {
  /** Does what the builder of the section does. May free the memory of the parts. */
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
  options?: SegmentOptions,
): Promise<SegmentColumns> {
  const found = runSteps(catalogOrder(parts));
  const context = contextOf(found, options);
  const section = <N extends SectionName>(name: N) =>
    builder.section(name, membersOf(parts, name), context);
  // The longest sections begin first.
  const words = section('words');
  const labels = section('labels');
  const input = allOf({ words, labels });
  const later = async <N extends LaterName>(name: N) =>
    builder.laterSection(name, await input, context);
  const sections = await allOf<AllSections>({
    ...{ words, labels, values: section('values'), artists: section('artists') },
    ...{ tags: section('tags'), symbols: section('symbols') },
    ...{ wordCounts: later('wordCounts'), nameOrders: later('nameOrders') },
    ...{ aliases: section('aliases'), aliasTags: section('aliasTags') },
    ...{ nameForms: section('nameForms'), artistForms: section('artistForms') },
    ...{ tagForms: section('tagForms'), aliasForms: section('aliasForms') },
    aliasTagForms: section('aliasTagForms'),
  });
  return segmentFrom(found, context, sections, seq);
}

/** Like Promise.all, for the members of an object: one failure ends all. */
async function allOf<T extends object>(
  members: {
    [Name in keyof T]: Promise<T[Name]>;
  },
): Promise<T> {
  const values = await Promise.all(Object.values(members));
  return Object.fromEntries(Object.keys(members).map((name, i) => [name, values[i]])) as T;
}

function contextOf(
  { places }: CatalogOrder,
  { kernelFrom = KERNEL_FROM, language }: SegmentOptions = {},
): SectionContext {
  return { places, language, ...(places.size >= kernelFrom && { memory: newBitMemory() }) };
}

function membersOf<N extends SectionName>(
  parts: readonly CollectedTracks[],
  name: N,
): readonly CollectedTracks[N][] {
  return parts.map((part) => part[name]);
}

function segmentFrom(
  found: CatalogOrder,
  context: SectionContext,
  sections: AllSections,
  seq: number,
): SegmentColumns {
  const columns = assembled(found, context, sections, seq);
  const { memory } = context;
  return memory ? overBitMemory(columns, memory) : columns;
}
