import type { AudioTags } from './audio-tags.ts';
import { type Chunk, chunkOf, endOf, listChunks, wholeChunk } from './chunk-list.ts';
import { id3Tag } from './id3.ts';
import { readId3 } from './id3-frames.ts';
import {
  type FilePart,
  NotTaggable,
  planOf,
  type RandomAccess,
  readAll,
  type SplicePlan,
} from './splice.ts';
import { broadcastChunk, filledBroadcastChunk, infoList, ixml, readInfoList } from './wav-texts.ts';

const HEAD_BYTES = 12;
/** The content of `ds64` up to its table. */
const DS64_BYTES = 28;
/** A size of 32 bits that stands for one of 64 bits in the chunk `ds64`. */
const ELSEWHERE = 0xffff_ffff;

interface Wav {
  chunks: readonly Chunk[];
  data: Chunk;
  /** Null for a file of 32 bits. */
  ds64: Buffer | null;
  /** `RIFF`, `RF64` or `BW64`. */
  form: string;
}

/**
 * Writes the texts of a WAV file: `LIST/INFO`, `iXML` and `id3 ` after the audio, `bext` in its place, or else before the
 * audio. A file that grows beyond 4 GiB becomes RF64.
 */
export async function tagWav(file: RandomAccess, tags: AudioTags): Promise<SplicePlan> {
  const wav = await readWav(file);
  const texts = await readTexts(file, wav.chunks);
  const bext =
    texts.bext === undefined ? broadcastChunk(tags) : filledBroadcastChunk(texts.bext, tags);
  const tagged = Buffer.concat([
    chunkOf('LIST', infoList(tags, texts.info)),
    chunkOf('iXML', ixml(tags, texts.ixml)),
    chunkOf('id3 ', id3Tag(tags, texts.id3)),
  ]);
  const dropped = new Set<Chunk | undefined>(texts.read);
  const kept = wav.chunks.filter((chunk) => chunk.name !== 'ds64' && !dropped.has(chunk));
  const before = kept.slice(0, kept.indexOf(wav.data));
  const after = kept.slice(before.length + 1);
  const rest = Math.min(endOf(wav.chunks.at(-1)!), file.sizeBytes);
  return withHead(file, wav, {
    before: [chunkOf('bext', bext), ...before.flatMap((chunk) => wholeChunk(chunk, file))],
    after: [tagged, ...after.flatMap((chunk) => wholeChunk(chunk, file))],
    rest: { start: rest, end: file.sizeBytes },
  });
}

/** Reads the texts of a WAV file, as `tagWav` does. Throws NotTaggable. */
export async function readWavTexts(file: RandomAccess) {
  return readTexts(file, (await readWav(file)).chunks);
}

async function readWav(file: RandomAccess): Promise<Wav> {
  const head = await readAll(file, 0, HEAD_BYTES);
  const form = head.toString('latin1', 0, 4);
  if (form === 'RIFX') throw new NotTaggable('The numbers of the WAV file are big-endian.');
  const isLong = form !== 'RIFF';
  const ds64 = isLong ? await readDs64(file) : null;
  const given = head.readUInt32LE(4);
  const size = ds64 !== null && given === ELSEWHERE ? Number(ds64.readBigUInt64LE(0)) : given;
  const end = size < HEAD_BYTES || size === ELSEWHERE ? file.sizeBytes : 8 + size;
  const range = { start: HEAD_BYTES, end: Math.min(end, file.sizeBytes), audio: 'data' };
  const chunks = await listChunks(file, range, (header, name) => {
    const short = header.readUInt32LE(4);
    return name === 'data' && short === ELSEWHERE && ds64 !== null
      ? Number(ds64.readBigUInt64LE(8))
      : short;
  });
  const data = chunks.find(({ name }) => name === 'data')!;
  if (data.size === 0) throw new NotTaggable('The WAV file does not say how long its audio is.');
  return { chunks, data, ds64, form };
}

async function readDs64(file: RandomAccess): Promise<Buffer> {
  const header = await readAll(file, HEAD_BYTES, 8);
  const size = header.readUInt32LE(4);
  if (header.toString('latin1', 0, 4) !== 'ds64' || size < DS64_BYTES) {
    throw new NotTaggable('The RF64 file has no chunk ds64.');
  }
  const ds64 = await readAll(file, HEAD_BYTES + 8, size);
  if (ds64.readUInt32LE(24) !== 0) throw new NotTaggable('Chunks beside the audio are too large.');
  return ds64;
}

async function readTexts(file: RandomAccess, chunks: readonly Chunk[]) {
  const read: Chunk[] = [];
  const content = async (chunk: Chunk | undefined) => {
    if (chunk === undefined) return undefined;
    read.push(chunk);
    return readAll(file, chunk.start, chunk.size);
  };
  const named = (...names: string[]) => content(chunks.find(({ name }) => names.includes(name)));
  let info: Buffer | undefined;
  for (const chunk of chunks) {
    if (chunk.name !== 'LIST' || chunk.size < 4 || info !== undefined) continue;
    const type = await readAll(file, chunk.start, 4);
    if (type.toString('latin1') === 'INFO') info = await content(chunk);
  }
  const id3 = await named('id3 ', 'ID3 ');
  return {
    read,
    bext: await named('bext'),
    ixml: await named('iXML'),
    info: info === undefined ? [] : readInfoList(info),
    id3: id3 === undefined ? [] : readId3(id3),
  };
}

type Segments = readonly (Uint8Array | FilePart)[];

/** Composes the file, with the sizes that its head tells. */
function withHead(
  file: RandomAccess,
  { data, ds64, form }: Wav,
  { before, after, rest }: { before: Segments; after: Segments; rest: FilePart },
): SplicePlan {
  const [, ...padding] = wholeChunk(data, file);
  const audio = [{ start: data.start, end: Math.min(endOf(data), file.sizeBytes) }, ...padding];
  const without = planOf([...before, Buffer.alloc(8), ...audio, ...after]).sizeBytes;
  const isLong = ds64 !== null || 4 + without > ELSEWHERE - 1;
  const long = ds64 === null ? Buffer.alloc(DS64_BYTES) : Buffer.from(ds64);
  const size = 4 + without + (isLong ? 8 + long.length : 0);
  long.writeBigUInt64LE(BigInt(size), 0);
  long.writeBigUInt64LE(BigInt(data.size), 8);
  const head = Buffer.from('RIFF\0\0\0\0WAVE', 'latin1');
  if (isLong) head.write(form === 'RIFF' ? 'RF64' : form, 'latin1');
  head.writeUInt32LE(isLong ? ELSEWHERE : size, 4);
  const dataHeader = Buffer.from('data\0\0\0\0', 'latin1');
  dataHeader.writeUInt32LE(isLong ? ELSEWHERE : data.size, 4);
  const lengths = isLong ? [chunkOf('ds64', long)] : [];
  return planOf([head, ...lengths, ...before, dataHeader, ...audio, ...after, rest]);
}
