/** The UUIDs of a segment's tracks as four numbers each, and the hash table from a UUID to its track. */

/** Where the eight digits of each word are in a UUID, between its hyphens. */
const DIGITS = [
  [0, 1, 2, 3, 4, 5, 6, 7],
  [9, 10, 11, 12, 14, 15, 16, 17],
  [19, 20, 21, 22, 24, 25, 26, 27],
  [28, 29, 30, 31, 32, 33, 34, 35],
] as const;

/** Writes a UUID (lower case, with hyphens) as four words at a position of the column. */
export function writeId(ids: Uint32Array, ordinal: number, id: string): void {
  for (let word = 0; word < 4; word++) {
    const digits = DIGITS[word]!;
    let value = 0;
    for (let i = 0; i < 8; i++) {
      const code = id.charCodeAt(digits[i]!);
      value = (value << 4) | (code < 58 ? code - 48 : code - 87);
    }
    ids[ordinal * 4 + word] = value;
  }
}

export function readId(ids: Uint32Array, ordinal: number): string {
  let hex = '';
  for (let word = 0; word < 4; word++) {
    hex += ids[ordinal * 4 + word]!.toString(16).padStart(8, '0');
  }
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Negative if the first id comes before the second. The columns may belong to two segments. */
export function compareIds(ids: Uint32Array, a: number, others: Uint32Array, b: number): number {
  for (let word = 0; word < 4; word++) {
    const difference = ids[a * 4 + word]! - others[b * 4 + word]!;
    if (difference !== 0) {
      return difference;
    }
  }
  return 0;
}

/** The length of an id table for `size` tracks: a power of two, so that the table is at most two thirds full. */
export function idTableLength(size: number): number {
  return 2 ** Math.ceil(Math.log2(size * 1.5 + 1));
}

/** Enters the id at a position, and returns the position at which the same id was entered before. */
export function enterId(table: Uint32Array, ids: Uint32Array, at: number): number | undefined {
  const slot = slotOf(table, ids, ids, at);
  const earlier = table[slot]!;
  table[slot] = at + 1;
  return earlier === 0 ? undefined : earlier - 1;
}

/** The ordinal of the id at a position of some column; undefined if the table does not have it. */
export function findId(
  table: Uint32Array,
  ids: Uint32Array,
  wanted: Uint32Array,
  at: number,
): number | undefined {
  const entry = table[slotOf(table, ids, wanted, at)]!;
  return entry === 0 ? undefined : entry - 1;
}

/** The slot of the id at a position of some column, or the free slot for it. */
function slotOf(table: Uint32Array, ids: Uint32Array, wanted: Uint32Array, at: number): number {
  const mask = table.length - 1;
  let slot = hashOf(wanted, at) & mask;
  while (table[slot] !== 0 && compareIds(ids, table[slot]! - 1, wanted, at) !== 0) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

function hashOf(ids: Uint32Array, at: number): number {
  let hash = 0;
  for (let word = 0; word < 4; word++) {
    hash = Math.imul(hash ^ ids[at * 4 + word]!, 0x9e37_79b1);
    hash ^= hash >>> 15;
  }
  return hash;
}
