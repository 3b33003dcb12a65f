import type { FileHandle } from 'node:fs/promises';

export interface AudioChunks {
  /** `RF64` and `BW64` are WAV files of any size. */
  form: 'RIFF' | 'RF64' | 'BW64' | 'FORM';
  /** The content of chunks with tags, by their name. Of several of one name, the first. */
  contents: ReadonlyMap<string, Buffer>;
  /** The size of the audio in bytes; 0 if there is none. */
  audioBytes: number;
  /** The part of the audio that the file has: less than 1 if its header promises more. */
  partThere: number;
}

/** Real files have some tens. */
const MAX_CHUNKS = 1000;
/** The largest chunk that is read, and the size of all of them. */
const MAX_CHUNK_BYTES = 1024 * 1024;
const MAX_BYTES = 4 * 1024 * 1024;
/** A size of 32 bits that stands for one of 64 bits in the chunk `ds64`. */
const ELSEWHERE = 0xffff_ffff;

/** Sizes from here on stand for an unknown one. */
const UNKNOWN_BYTES = 0x7fff_0000;

/** Chunks that contain the audio, or room for later chunks. */
const NOT_READ = new Set(['data', 'SSND', 'JUNK', 'junk', 'FLLR', 'PAD ']);

/** Reads the chunks of a WAV or AIFF file. Returns undefined for another file. */
export async function readChunks(
  file: FileHandle,
  fileBytes: number,
): Promise<AudioChunks | undefined> {
  const head = await bytesAt(file, 0, 12);
  const form = formOf(head);
  if (form === undefined) {
    return undefined;
  }
  const contents = new Map<string, Buffer>();
  let audioBytes = 0;
  let partThere = 1;
  let total = 0;
  let at = 12;
  for (let count = 0; count < MAX_CHUNKS && at + 8 <= fileBytes; count++) {
    const header = await bytesAt(file, at, 8);
    if (header.length < 8) {
      break;
    }
    const name = header.toString('latin1', 0, 4);
    const given = form === 'FORM' ? header.readUInt32BE(4) : header.readUInt32LE(4);
    const size = Math.min(
      given === ELSEWHERE ? longSize(contents.get('ds64'), name) : given,
      fileBytes - at - 8,
    );
    if (name === 'data' || name === 'SSND') {
      audioBytes = audioBytes || size;
      // A program that does not know the length before it writes gives the greatest one.
      if (given < UNKNOWN_BYTES && given > size + 1) partThere = size / given;
    }
    const isRead = !NOT_READ.has(name) && !contents.has(name);
    if (isRead && size <= MAX_CHUNK_BYTES && total + size <= MAX_BYTES) {
      contents.set(name, await bytesAt(file, at + 8, size));
      total += size;
    }
    at += 8 + size + (size % 2);
  }
  return { form, contents, audioBytes, partThere };
}

function formOf(head: Buffer): AudioChunks['form'] | undefined {
  const form = /^(?:(RIFF|RF64|BW64).{4}WAVE|(FORM).{4}AIF[FC])/s.exec(head.toString('latin1'));
  return (form?.[1] ?? form?.[2]) as AudioChunks['form'] | undefined;
}

export async function bytesAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

/** Returns the size of a chunk that `ds64` tells; without one more than any file has. */
function longSize(ds64: Buffer | undefined, name: string): number {
  if (ds64 === undefined || ds64.length < 28) {
    return Number.MAX_SAFE_INTEGER;
  }
  if (name === 'data') {
    return Number(ds64.readBigUInt64LE(8));
  }
  for (let at = 28; at + 12 <= ds64.length; at += 12) {
    if (ds64.toString('latin1', at, at + 4) === name) {
      return Number(ds64.readBigUInt64LE(at + 4));
    }
  }
  return Number.MAX_SAFE_INTEGER;
}

/** Makes a WAV file without audio of its chunks, for a parser that reads only files of 32 bits. */
export function asRiff({ contents }: AudioChunks): Buffer {
  const parts = [...contents].flatMap(([name, content]) => {
    const header = Buffer.alloc(8);
    header.write(name, 'latin1');
    header.writeUInt32LE(content.length, 4);
    return [header, content, Buffer.alloc(content.length % 2)];
  });
  const head = Buffer.from('RIFF\0\0\0\0WAVE', 'latin1');
  head.writeUInt32LE(4 + parts.reduce((sum, part) => sum + part.length, 0), 4);
  return Buffer.concat([head, ...parts]);
}

/** Returns the length of the audio that the format tells; 0 if it is unknown. */
export function lengthOfChunks({ contents, audioBytes }: AudioChunks): number {
  const format = contents.get('fmt ');
  const bytesASecond = format !== undefined && format.length >= 12 ? format.readUInt32LE(8) : 0;
  return bytesASecond > 0 ? audioBytes / bytesASecond : 0;
}
