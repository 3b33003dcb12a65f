import type { Decoded } from '../../src/import/decode/decoded.ts';

/** The bytes cut in pieces of one size, as a file or a network would. */
export async function* pieces(content: string | Buffer, size = 7): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(content as string);
  for (let at = 0; at < bytes.length; at += size) {
    yield bytes.subarray(at, at + size);
  }
}

/** Every record that a decoder gives. */
export async function all(records: AsyncIterable<Decoded[]>): Promise<Decoded[]> {
  const found: Decoded[] = [];
  for await (const batch of records) {
    found.push(...batch);
  }
  return found;
}

/** The records that could be read; undefined for the others. */
export const values = (records: readonly Decoded[]) => records.map(({ value }) => value);
/** Where records could not be read, and why. */
export const problems = (records: readonly Decoded[]) =>
  records
    .filter(({ problem }) => problem !== null)
    .map(({ position, problem }) => [position, problem]);

/** The list cell of these entries; `splitList` undoes it. */
export function joinList(entries: readonly string[]): string {
  return entries.map((entry) => entry.replace(/[\\|]/g, '\\$&')).join('|');
}
