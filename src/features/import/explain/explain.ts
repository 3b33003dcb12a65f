import { OperatorError } from '../../../common/errors.ts';
import { isObject } from '../../../common/text/json.ts';
import { TagReader } from '../audio/tag-reader.ts';
import { batchesOf } from '../files/batches.ts';
import { FileFinder } from '../files/file-finder.ts';
import { type Part, planParts, readingOf } from '../files/parts.ts';
import { type Item, kindOf, type Rejection, rejectionOf, unreadableRejection } from '../item.ts';
import { MediaNotes } from '../media-notes.ts';
import type { ImportOptions, ReadContext, Reading } from '../options.ts';
import { readSample, SAMPLE } from '../read-catalog.ts';
import { catalogFacts, type Fact, otherFacts, storedForm } from './facts.ts';
import { type LostValues, lostValues, type UnusedMember, unusedMembers } from './members.ts';

interface ExplainedRecord {
  file: string;
  line: number | null;
  /** Null if the record is rejected. */
  track: object | null;
  rejection: { field: string; reason: string } | null;
}

/** Rejected records of the sample that have one field and one kind of reason. */
interface ExplainedRejections {
  field: string;
  /** The reason of the first one. */
  reason: string;
  records: number;
  line: number | null;
}

export interface Explanation {
  path: string;
  reading: Reading;
  facts: Fact[];
  records: number;
  isWhole: boolean;
  first: ExplainedRecord[];
  unused: UnusedMember[];
  /** The values of which a rule of the mapping makes nothing. */
  unread: LostValues[];
  rejected: ExplainedRejections[];
  notes: string[];
}

export type ExplainOptions = Pick<
  ImportOptions,
  'source' | 'mapFile' | 'mapFolder' | 'type' | 'audioSeconds' | 'tagEncoding' | 'clock'
> & { path: string };

const MAX_FIRST = 10;
const MAX_FILES = 10;

/** Stores without anything, so that a file that a message names is looked for below its folder only. */
const NOTHING_STORED: Pick<ReadContext, 'catalog' | 'trackMessages'> = {
  catalog: { trackAudio: async () => undefined },
  trackMessages: { sentAt: async () => new Map(), tracksOf: async () => [] },
};

/** Explains how an import reads a file, without a store. Throws OperatorError if it would refuse it. */
export async function explainImport(options: ExplainOptions): Promise<Explanation> {
  const { path, mapFile, mapFolder, source } = options;
  await using copies = new AsyncDisposableStack();
  const parts = await planParts({ paths: [path], mapFile, mapFolder, source }, copies);
  const part = parts.find(({ kind }) => kind !== 'refused') ?? parts[0]!;
  if (part.kind === 'refused') {
    throw new OperatorError(`${part.rejection.file}: ${part.rejection.reason}`);
  }
  const notes: string[] = [];
  const { items, rejections, isWhole } = await readItems(part, options, notes);
  const read = part.kind === 'catalog' ? await readSample(part.plan) : undefined;
  const sample = typeof read === 'string' ? undefined : read;
  const facts =
    part.kind === 'catalog' ? await catalogFacts(part, sample, options) : otherFacts(part, options);
  const objects = (sample?.records ?? []).flatMap(({ position, value }) =>
    isObject(value) ? [{ position, value }] : [],
  );
  const mapping = part.kind === 'catalog' ? part.plan.mapping : null;
  const values = objects.map(({ value }) => value);
  return {
    ...{ path, reading: readingOf(part)!, facts, records: items.length, notes },
    isWhole: isWhole && (sample?.isWhole ?? true),
    first: items.slice(0, MAX_FIRST).map(explained),
    unused: part.kind === 'catalog' ? unusedMembers(values, mapping) : [],
    unread: mapping === null ? [] : lostValues(objects, mapping),
    rejected: grouped([...items.flatMap(rejectionsOf), ...rejections]),
  };
}

async function readItems(
  part: Exclude<Part, { kind: 'refused' }>,
  { type, audioSeconds, tagEncoding, clock }: ExplainOptions,
  notes: string[],
): Promise<{ items: Item[]; rejections: Rejection[]; isWhole: boolean }> {
  const most = part.kind === 'folder' ? MAX_FILES : SAMPLE;
  await using tagReader = new TagReader({ timeoutSeconds: audioSeconds, tagEncoding });
  const items: Item[] = [];
  const rejections: Rejection[] = [];
  const mediaNotes = new MediaNotes();
  try {
    const onNote = (note: string) => notes.push(note);
    const files = new FileFinder({ stat: async () => undefined });
    const context = {
      ...NOTHING_STORED,
      files,
      notes: mediaNotes,
      type,
      clock,
      tagReader,
      onNote,
      isSample: true,
    };
    for await (const batch of batchesOf(part, context)) {
      items.push(...(batch.items ?? []));
      rejections.push(...(batch.rejections ?? []));
      if (part.kind !== 'catalog' && items.length >= most) {
        return { items: items.slice(0, most), rejections, isWhole: false };
      }
    }
  } catch (error) {
    rejections.push(unreadableRejection(part.path, error));
  }
  notes.push(...mediaNotes.lines());
  return { items, rejections, isWhole: true };
}

function explained({ file, line, prepared }: Item): ExplainedRecord {
  if (prepared.delivery !== null) {
    return { file, line, track: storedForm(prepared), rejection: null };
  }
  const { field, reason } = rejectionOf({ file, line }, prepared.problems);
  return { file, line, track: null, rejection: { field, reason } };
}

function rejectionsOf(item: Item): Rejection[] {
  return item.prepared.delivery === null ? [rejectionOf(item, item.prepared.problems)] : [];
}

function grouped(rejections: readonly Rejection[]): ExplainedRejections[] {
  const groups = Map.groupBy(rejections, kindOf);
  return [...groups.values()].map((group) => {
    const { field, reason, line } = group[0]!;
    return { field, reason, records: group.length, line };
  });
}
