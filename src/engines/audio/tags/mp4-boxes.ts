import { NotTaggable } from './splice.ts';

/** A box of ISO base media (ISO/IEC 14496-12) within a buffer. */
export interface Box {
  type: string;
  /** The offset of its header. */
  at: number;
  /** The offset of its content. */
  start: number;
  end: number;
}

/** The header of a box, from its first 16 bytes. `left` is how much of the file or box is left from it on. */
export function boxHeader(
  head: Buffer,
  left: number,
): { type: string; headBytes: number; size: number } {
  if (head.length < 8) throw new NotTaggable('A box is not complete.');
  const type = head.toString('latin1', 4, 8);
  const short = head.readUInt32BE(0);
  const headBytes = short === 1 ? 16 : 8;
  if (head.length < headBytes) throw new NotTaggable('A box is not complete.');
  const size = short === 1 ? Number(head.readBigUInt64BE(8)) : short === 0 ? left : short;
  if (size < headBytes || size > left)
    throw new NotTaggable(`The box ${JSON.stringify(type)} is not complete.`);
  return { type, headBytes, size };
}

/** Lists the boxes between two offsets. A list of user data may end with four zeros. */
export function boxesIn(bytes: Buffer, start: number, end: number): Box[] {
  const boxes: Box[] = [];
  for (let at = start; at < end; ) {
    if (end - at === 4 && bytes.readUInt32BE(at) === 0) break;
    const { type, headBytes, size } = boxHeader(
      bytes.subarray(at, Math.min(at + 16, end)),
      end - at,
    );
    boxes.push({ type, at, start: at + headBytes, end: at + size });
    at += size;
  }
  return boxes;
}

/** Lists the boxes at a path, of which each step names some types. */
export function boxesAt(bytes: Buffer, path: readonly (readonly string[])[]): Box[] {
  return path.reduce<Pick<Box, 'start' | 'end'>[]>(
    (parents, types) =>
      parents.flatMap(({ start, end }) =>
        boxesIn(bytes, start, end).filter(({ type }) => types.includes(type)),
      ),
    [{ start: 0, end: bytes.length }],
  ) as Box[];
}

export function boxOf(type: string, ...content: readonly Uint8Array[]): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt32BE(content.reduce((sum, { length }) => sum + length, 8));
  header.write(type, 4, 'latin1');
  return Buffer.concat([header, ...content]);
}
