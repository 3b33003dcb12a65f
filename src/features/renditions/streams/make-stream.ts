import { open } from 'node:fs/promises';
import { decode } from '../../../engines/audio/decode.ts';
import { encodeFlac } from '../../../engines/audio/lossless/encode-flac.ts';
import { encodeWav } from '../../../engines/audio/lossless/encode-wav.ts';
import { wavSamples } from '../../../engines/audio/lossless/wav-samples.ts';
import { encodeMp3 } from '../../../engines/audio/mp3/encode-mp3.ts';
import type { StreamRecipe } from './stream-name.ts';

export type StreamRequest = StreamRecipe & {
  /** A path that Stave chose. The extension decides the format if the content does not. */
  path: string;
  /** A new file, which grows by what is encoded. If its length is unknown, it is not valid before its end. */
  target: string;
};

/**
 * Encodes a file, and returns the length of the result in bytes. Calls `onProgress` with the encoded seconds after each
 * minute of audio. Throws a RenditionProblem.
 */
export async function makeStream(
  request: StreamRequest,
  ffmpeg: string | undefined,
  onProgress: (seconds: number) => void,
): Promise<number> {
  await using file = await open(request.target, 'wx', 0o600);
  const pieces = await encoded(request, ffmpeg, onProgress);
  let bytes = 0;
  for (;;) {
    const { done, value } = await pieces.next();
    const { bytesWritten } = await file.write(value, 0, value.length, done ? 0 : bytes);
    if (bytesWritten !== value.length) throw new Error('the file was not written to its end');
    if (done) return bytes;
    bytes += bytesWritten;
  }
}

/** Yields the file piece by piece, and returns the bytes that replace the first piece. */
async function encoded(
  request: StreamRequest,
  ffmpeg: string | undefined,
  onProgress: (seconds: number) => void,
): Promise<AsyncGenerator<Uint8Array, Uint8Array>> {
  const { path, length } = request;
  if (request.format === 'mp3') {
    const secondsOf = ({ channels: [samples], sampleRate }: Block) => samples!.length / sampleRate;
    const blocks = telling(decode(path, ffmpeg), secondsOf, onProgress);
    return encodeMp3(blocks, request.kbps, length);
  }
  const { format, pieces } = await wavSamples(path, ffmpeg);
  const bytesASecond = format.sampleRate * format.channels * format.bytesPerSample;
  const told = telling(pieces, ({ length: bytes }) => bytes / bytesASecond, onProgress);
  return request.format === 'wav'
    ? encodeWav(told, format, length?.samples)
    : encodeFlac(told, format);
}

type Block = { channels: readonly Float32Array[]; sampleRate: number };

/** Yields the pieces, and calls `onProgress`. */
async function* telling<Piece>(
  pieces: AsyncIterable<Piece>,
  secondsOf: (piece: Piece) => number,
  onProgress: (seconds: number) => void,
): AsyncGenerator<Piece> {
  let seconds = 0;
  for await (const piece of pieces) {
    // The caller may use its memory again.
    const length = secondsOf(piece);
    yield piece;
    const minutes = Math.floor(seconds / 60);
    seconds += length;
    if (Math.floor(seconds / 60) > minutes) onProgress(seconds);
  }
}
