import { UnreadableError } from '../decode/decoded.ts';
import { describe } from '../record.ts';
import type { MappingGroup } from './mapping.ts';
import { CellProblem } from './members.ts';

export interface MergedRows {
  position: number;
  record: Record<string, unknown>;
  /** Why the rows cannot be one record; null if they can. */
  problem: CellProblem | null;
}

export interface MappedRow extends MergedRows {
  /** What the rows of a track share; undefined for a row that continues the track above it. */
  key: string | undefined;
  sizeBytes: number;
}

/** How many rows one track may have, and of how many bytes. */
const MAX_ROWS = 10_000;
const MAX_GROUP_BYTES = 4 * 1024 * 1024;
/** The memory of all rows of a file that is grouped as a whole. */
const MAX_HELD_BYTES = 48 * 1024 * 1024;
const GROUP_BYTES = 600;

/**
 * Merges rows into tracks. A list of the record gets the entries of all rows, without duplicates.
 * For any other member, all rows must have the same value, or none, unless the first one applies.
 */
export class RowGroups {
  readonly #isWhole: boolean;
  readonly #merge: (group: Group, row: MappedRow) => void;
  readonly #groups = new Map<string, Group>();
  readonly #held: Group[] = [];
  #last: Group | undefined;
  #heldBytes = 0;

  constructor({ rows, conflicts = 'reject' }: MappingGroup) {
    this.#isWhole = rows === 'all';
    this.#merge = (group, row) => mergeRow(group, row, conflicts);
  }

  /** Adds a row. Returns the track that it completes. Throws UnreadableError for too much memory. */
  add(row: MappedRow): MergedRows | undefined {
    const group = row.key === undefined ? this.#last : this.#groups.get(row.key);
    if (group !== undefined) {
      this.#hold(row, 0);
      this.#merge(group, row);
      this.#last = group;
      return undefined;
    }
    const complete = this.#isWhole ? undefined : this.#release();
    this.#hold(row, GROUP_BYTES);
    const begun = newGroup(row);
    this.#last = begun;
    if (row.key !== undefined) {
      this.#groups.set(row.key, begun);
    }
    if (this.#isWhole) {
      this.#held.push(begun);
    }
    return complete;
  }

  /**
   * Yields the tracks that the last rows make, in the order of their first rows, in lists of at most
   * `size`. A list is no longer held once it is yielded, so its memory can be freed.
   */
  *end(size: number): Generator<MergedRows[]> {
    const last = this.#release();
    if (!this.#isWhole) {
      yield last === undefined ? [] : [last];
      return;
    }
    const held = this.#held.reverse();
    while (held.length > 0) {
      yield held.splice(-size).reverse();
    }
  }

  #release(): MergedRows | undefined {
    const complete = this.#last;
    this.#last = undefined;
    this.#groups.clear();
    return complete;
  }

  #hold({ position, sizeBytes }: MappedRow, more: number): void {
    this.#heldBytes += sizeBytes + more;
    if (this.#isWhole && this.#heldBytes > MAX_HELD_BYTES) {
      const limit = `${MAX_HELD_BYTES / 1024 / 1024} MiB of memory`;
      const remedy = 'sort the file by track and set `group.rows` to "consecutive"';
      throw new UnreadableError(
        position,
        `the rows take more than ${limit}, so they cannot be grouped; ${remedy}`,
      );
    }
  }
}

interface Group extends MergedRows {
  rows: number;
  sizeBytes: number;
  /** The texts of the entries of each list, by which duplicates are found. */
  lists: Map<string, Set<string>> | null;
}

function newGroup({ position, record, sizeBytes, problem }: MappedRow): Group {
  return { position, record, problem, rows: 1, sizeBytes, lists: null };
}

function mergeRow(group: Group, row: MappedRow, conflicts: 'reject' | 'first'): void {
  group.rows++;
  group.sizeBytes += row.sizeBytes;
  group.problem ??= row.problem;
  if (group.rows > MAX_ROWS || group.sizeBytes > MAX_GROUP_BYTES) {
    const limit = `${MAX_ROWS} rows or ${MAX_GROUP_BYTES / 1024 / 1024} MiB`;
    group.problem ??= new CellProblem('', `has more than ${limit} in one group`);
    return;
  }
  // The rows of a faulty track are merged, too, because a prune needs its id.
  group.lists ??= new Map();
  for (const [member, value] of Object.entries(row.record)) {
    const known = group.record[member];
    if (value === '') {
      continue;
    }
    if (known === undefined || known === '') {
      group.record[member] = value;
    } else if (Array.isArray(known) && Array.isArray(value)) {
      addEntries(group.lists, member, known, value);
    } else if (conflicts === 'reject' && JSON.stringify(known) !== JSON.stringify(value)) {
      const both = `${describe(known)} and, in line ${row.position}, ${describe(value)}`;
      group.problem ??= new CellProblem(member, `differs between the rows of one track: ${both}`);
    }
  }
}

/** Adds what a list lacks. `lists` keeps the texts of its entries for the next rows. */
function addEntries(
  lists: Map<string, Set<string>>,
  member: string,
  list: unknown[],
  more: readonly unknown[],
): void {
  const known = lists.get(member) ?? new Set(list.map((entry) => JSON.stringify(entry)));
  lists.set(member, known);
  for (const entry of more) {
    const text = JSON.stringify(entry);
    if (!known.has(text)) {
      known.add(text);
      list.push(entry);
    }
  }
}
