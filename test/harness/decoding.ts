import type { Decoded } from '../../src/features/import/decode/decoded.ts';

/** The bytes in pieces of `size`, as a file or a network delivers them. */
export async function* pieces(content: string | Buffer, size = 7): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(content as string);
  for (let at = 0; at < bytes.length; at += size) {
    yield bytes.subarray(at, at + size);
  }
}

/** All records that a decoder yields. */
export async function all(records: AsyncIterable<Decoded[]>): Promise<Decoded[]> {
  const found: Decoded[] = [];
  for await (const batch of records) {
    found.push(...batch);
  }
  return found;
}

/** The values of the records; undefined for an unreadable record. */
export const values = (records: readonly Decoded[]) => records.map(({ value }) => value);
/** The positions of the unreadable records, with the reasons. */
export const problems = (records: readonly Decoded[]) =>
  records
    .filter(({ problem }) => problem !== null)
    .map(({ position, problem }) => [position, problem]);

/** The entries as one cell of a list; `splitList` reverses it. */
export function joinList(entries: readonly string[]): string {
  return entries.map((entry) => entry.replace(/[\\|]/g, '\\$&')).join('|');
}
