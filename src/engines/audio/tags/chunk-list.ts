import { type FilePart, NotTaggable, type RandomAccess, readAll } from './splice.ts';

/** A chunk of a WAV or AIFF file. */
export interface Chunk {
  name: string;
  /** The offset of its content. */
  start: number;
  size: number;
}

/** Real files have some tens. */
const MAX_CHUNKS = 1000;
const HEADER_BYTES = 8;

/**
 * Lists the chunks up to the offset `end`. Stops after the audio at bytes that are no chunk.
 *
 * @param readSize returns the size of a chunk
 * @param audio the name of the chunk with the audio
 */
export async function listChunks(
  file: RandomAccess,
  { start, end, audio }: { start: number; end: number; audio: string },
  readSize: (header: Buffer, name: string) => number,
): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  let hasAudio = false;
  for (let at = start; at + HEADER_BYTES <= end; ) {
    if (chunks.length === MAX_CHUNKS) throw new NotTaggable('The file has too many chunks.');
    const header = await readAll(file, at, HEADER_BYTES);
    const name = header.toString('latin1', 0, 4);
    const size = readSize(header, name);
    const from = at + HEADER_BYTES;
    const isWhole = /^[ -~]{4}$/.test(name) && from + size <= end;
    if (!isWhole && hasAudio) break;
    if (!isWhole) throw new NotTaggable(`The chunk ${JSON.stringify(name)} is not complete.`);
    hasAudio ||= name === audio;
    chunks.push({ name, start: from, size });
    at = endOf({ start: from, size });
  }
  if (!hasAudio) throw new NotTaggable('The file has no chunk with audio.');
  return chunks;
}

/** The offset after a chunk, whose size is padded to an even one. */
export function endOf({ start, size }: Pick<Chunk, 'start' | 'size'>): number {
  return start + size + (size % 2);
}

/** The whole chunk as it is. The byte that pads the last one may be missing. */
export function wholeChunk(chunk: Chunk, file: RandomAccess): FilePart[] | (FilePart | Buffer)[] {
  const end = endOf(chunk);
  const part = { start: chunk.start - HEADER_BYTES, end: Math.min(end, file.sizeBytes) };
  return end > file.sizeBytes ? [part, Buffer.alloc(1)] : [part];
}

/** Returns a chunk with a new content. */
export function chunkOf(name: string, content: Buffer, isBigEndian = false): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write(name, 'latin1');
  if (isBigEndian) header.writeUInt32BE(content.length, 4);
  else header.writeUInt32LE(content.length, 4);
  return Buffer.concat([header, content, Buffer.alloc(content.length % 2)]);
}
