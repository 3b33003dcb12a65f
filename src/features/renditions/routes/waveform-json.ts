import { pipeline, Readable, type Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { constants, createGunzip, createGzip } from 'node:zlib';
import type { MediaStore } from '../../../engines/blobs/media-store.ts';
import { acceptsGzip } from '../../../engines/http/response/negotiation.ts';
import { headerOf } from '../../../engines/http/response/preconditions.ts';
import type { FileRequest, Representation } from '../../../engines/http/response/representation.ts';
import {
  fileRepresentation,
  hashOf,
  type ServedFile,
} from '../../../engines/http/response/representation.ts';
import { datToJson, datToJsonBytes } from '../rendition-files.ts';

/**
 * Returns the JSON of a waveform that is stored as gzip. Callers that do not accept gzip get it decompressed.
 */
export async function jsonOfGzip(
  media: MediaStore,
  request: FileRequest,
  file: ServedFile,
): Promise<Representation> {
  const stored = await fileRepresentation(media, withVary(file));
  if (takesGzip(request)) return gzipped({ ...stored, hasRanges: false });
  return {
    ...stored,
    etag: `"${hashOf(file.key)}-json"`,
    hasRanges: false,
    async sizeBytes() {
      // The last four bytes are the length of the content (RFC 1952 §2.3.1).
      const end = (await stored.sizeBytes())! - 1;
      return (await buffer(await stored.open({ start: end - 3, end }))).readUInt32LE();
    },
    open: async () => through(await stored.open(), createGunzip()),
  };
}

/** Returns the JSON of a waveform that is stored as .dat. Makes it while it is sent, to use little memory. */
export async function jsonOfDat(
  media: MediaStore,
  request: FileRequest,
  file: ServedFile,
): Promise<Representation> {
  const dat = await fileRepresentation(media, withVary(file));
  const open = async () => Readable.from(datToJson(await dat.open()), { highWaterMark: 1 });
  const json: Representation = {
    ...dat,
    etag: `"${hashOf(file.key)}-json"`,
    hasRanges: false,
    sizeBytes: async () => datToJsonBytes(await dat.open()),
    open,
  };
  if (!takesGzip(request)) return json;
  return gzipped({
    ...json,
    // Weak, because another version of zlib may compress differently.
    etag: `W/"${hashOf(file.key)}-json-gzip"`,
    sizeBytes: async () => undefined,
    open: async () => through(await open(), createGzip({ level: constants.Z_BEST_SPEED })),
  });
}

function takesGzip({ headers }: FileRequest): boolean {
  return acceptsGzip(headerOf(headers, 'accept-encoding'));
}

function withVary(file: ServedFile): ServedFile {
  return { ...file, headers: { ...file.headers, Vary: 'Accept-Encoding' } };
}

function gzipped(representation: Representation): Representation {
  const headers = { ...representation.headers, 'Content-Encoding': 'gzip' };
  return { ...representation, headers };
}

/** Destroying the returned stream, or a failure, ends both. */
function through(source: Readable, coding: Transform): Readable {
  return pipeline(source, coding, () => {});
}
