import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { MediaStore } from '../../engines/blobs/media-store.ts';
import type { Renditions } from './make-renditions.ts';
import type { RenditionFile, RenditionKind } from './rendition-store.ts';

const zip = promisify(gzip);
/** The offset in gzip (RFC 1952) of the number of the operating system, and the number for an unknown one. */
const SYSTEM_AT = 9;
const UNKNOWN_SYSTEM = 255;

/** Stores the rendition of a kind in the media store. Equal audio has equal files. */
export async function putRendition(
  media: Pick<MediaStore, 'putBytes'>,
  kind: RenditionKind,
  made: Renditions,
): Promise<RenditionFile> {
  const [bytes, extension] = await fileOf(kind, made);
  const { key, sizeBytes } = await media.putBytes(bytes, extension);
  return { mediaKey: key, sizeBytes };
}

async function fileOf(
  kind: RenditionKind,
  { clip, waveformDat, waveformJson }: Renditions,
): Promise<[Uint8Array, string]> {
  switch (kind) {
    case 'preview':
      return [clip, 'mp3'];
    case 'waveform':
      return [await gzipped(waveformJson), 'jgz'];
    case 'waveform-dat':
      return [waveformDat, 'dat'];
  }
}

/** Compresses outside of this thread. The result has no time, and does not name the operating system. */
async function gzipped(bytes: Uint8Array): Promise<Uint8Array> {
  const zipped = await zip(bytes);
  zipped[SYSTEM_AT] = UNKNOWN_SYSTEM;
  return zipped;
}
