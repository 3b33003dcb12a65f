import { dirname } from 'node:path';
import type { TrackType } from '../catalog/track.ts';
import { nearest } from '../common/nearest.ts';
import { type Prepared, trackMaker } from './canonical/track.ts';
import type { Decoded } from './decode/decoded.ts';
import type { Item } from './item.ts';
import { CellProblem } from './mapping/rule.ts';
import { SHIPPED_MAPPINGS } from './mapping/shipped.ts';
import { UnreadMembers } from './mapping/unread.ts';
import { type CatalogPlan, readCatalog, recordMaker } from './plan.ts';
import { RECORD_MEMBERS } from './record.ts';

/** How many different unknown members the note names. */
const MAX_NOTED = 20;
/** The longest name of a member that the note names. */
const MAX_NAME_LENGTH = 100;

/**
 * Decodes, maps, validates and canonicalizes the records of a planned file, in batches. Afterwards
 * calls `onNote` for the members that no record has. Throws UnreadableError if the rest of the file
 * cannot be read.
 */
export async function* catalogItems(
  plan: CatalogPlan,
  {
    source,
    type,
    onRead,
    onNote,
  }: {
    source: string;
    type?: TrackType | undefined;
    onRead?: (bytes: number) => void;
    onNote?: (note: string) => void;
  },
): AsyncGenerator<Item[]> {
  const toRecord = recordMaker(plan);
  const toTrack = trackMaker({ source, type });
  const folder = dirname(plan.path);
  const isOwnForm = plan.mapping === null && plan.format.kind !== 'csv';
  const reads = plan.mapping?.reads ?? new Set(RECORD_MEMBERS);
  const unknown = new Map<string, number>();
  // A shipped mapping serves many suppliers, and names members that some of them do not have.
  const isSupplied = plan.mapping !== null && !SHIPPED_MAPPINGS.includes(plan.mapping);
  const unread = isSupplied ? new UnreadMembers(plan.mapping!) : null;
  if (plan.firstRow !== undefined) unread?.see(plan.firstRow);
  let count = 0;
  let nameless = 0;
  let firstNameless = 0;
  let excesses = 0;
  let firstExcess = 0;
  const note = (text: string) => onNote?.(`${plan.path}: ${text}`);

  for await (const batch of readCatalog(plan, { ...(onRead && { onRead }), onNote: note })) {
    const items: Item[] = [];
    for (const record of batch) {
      const prepared = prepare(record, { toRecord, toTrack, reads });
      items.push({
        file: plan.path,
        line: record.position,
        prepared,
        folder,
        picture: null,
        isRead: false,
      });
      if (prepared.delivery !== null && prepared.namelessCredits > 0) {
        firstNameless ||= record.position;
        nameless += prepared.namelessCredits;
      }
      if (prepared.delivery !== null && prepared.hasExcessShares) {
        firstExcess ||= record.position;
        excesses++;
      }
      if (isOwnForm) {
        noteUnknown(record.value, unknown);
      }
      if (unread !== null && typeof record.value === 'object' && record.value !== null) {
        unread.see(record.value);
        count++;
      }
    }
    yield items;
  }
  if (unknown.size > 0) {
    note(`passed over ${unknownNote(unknown)}`);
  }
  if (nameless > 0) {
    const what = nameless === 1 ? 'a credit' : `${nameless} credits`;
    note(`left out ${what} without a name, the first in record ${firstNameless}`);
  }
  if (excesses > 0) {
    const more = excesses === 1 ? '' : ` and ${excesses - 1} more`;
    note(`the shares of a side add up to more than 100 % in record ${firstExcess}${more}`);
  }
  if (count > 0) {
    unread!.notes().forEach(note);
  }
}

interface Phases {
  toRecord: (record: object) => unknown;
  toTrack: (value: unknown) => Prepared;
  reads: ReadonlySet<string>;
}

function prepare({ value, problem, damaged }: Decoded, phases: Phases): Prepared {
  if (problem !== null) {
    return { delivery: null, id: null, problems: [{ field: '', message: problem }] };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return phases.toTrack(value);
  }
  let prepared: Prepared;
  try {
    prepared = phases.toTrack(phases.toRecord(value));
  } catch (error) {
    if (error instanceof CellProblem) {
      const { field, message } = error;
      return { delivery: null, id: null, problems: [{ field, message }] };
    }
    throw error;
  }
  if (damaged !== null) {
    const problems = [...damaged]
      .filter(([column]) => phases.reads.has(column))
      .map(([field, message]) => ({ field, message }));
    if (problems.length > 0) {
      const id = prepared.delivery === null ? prepared.id : prepared.delivery.id;
      return { delivery: null, id, problems };
    }
  }
  return prepared;
}

const KNOWN: ReadonlySet<string> = new Set(RECORD_MEMBERS);

function noteUnknown(value: unknown, unknown: Map<string, number>): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return;
  }
  for (const member in value) {
    if (!KNOWN.has(member)) {
      const count = unknown.get(member);
      if (count !== undefined || (unknown.size < MAX_NOTED && member.length <= MAX_NAME_LENGTH)) {
        unknown.set(member, (count ?? 0) + 1);
      }
    }
  }
}

function unknownNote(unknown: ReadonlyMap<string, number>): string {
  const members = [...unknown].map(([member, count]) => {
    const near = nearest(member, RECORD_MEMBERS);
    const hint = near === undefined ? '' : `, did you mean ${near}?`;
    return `"${member.slice(0, 60)}" (in ${count} ${count === 1 ? 'record' : 'records'}${hint})`;
  });
  return `members that the import record does not have: ${members.join(', ')}`;
}
