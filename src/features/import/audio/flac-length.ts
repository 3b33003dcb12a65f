import type { FileHandle } from 'node:fs/promises';
import { type FlacFrameHeader, flacFrameAt } from '../../../engines/audio/flac-frame.ts';

/** How many bytes at the end are searched. The largest frame of a usual file is a tenth of it. */
const TAIL_BYTES = 512 * 1024;

/**
 * Returns the duration of a FLAC file in seconds, computed from the numbers of its last frames (RFC
 * 9639 §9.1), because the sample count in the header may be absent or wrong. Undefined if the end
 * of the file has no two consecutive frames.
 */
export async function flacLengthSeconds(
  file: FileHandle,
  sizeBytes: number,
  sampleRate: number,
): Promise<number | undefined> {
  const length = Math.min(TAIL_BYTES, sizeBytes);
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, sizeBytes - length);
  const frames = framesIn(buffer);
  for (let i = frames.length - 1; i > 0; i--) {
    const last = frames[i]!;
    // Random bytes sometimes look like a frame header, but almost never like two consecutive ones.
    const before = frames.findLast(
      (frame, j) =>
        j < i &&
        frame.isVariable === last.isVariable &&
        frame.number + (frame.isVariable ? frame.samples : 1) === last.number,
    );
    if (before !== undefined) {
      const start = last.isVariable ? last.number : last.number * before.samples;
      return (start + last.samples) / (last.sampleRate ?? sampleRate);
    }
  }
  return undefined;
}

function framesIn(bytes: Buffer): FlacFrameHeader[] {
  const frames: FlacFrameHeader[] = [];
  for (let at = bytes.indexOf(0xff); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const frame = flacFrameAt(bytes, at);
    if (frame !== undefined) {
      frames.push(frame);
    }
  }
  return frames;
}
