import { createHash } from 'node:crypto';
import { writeCursor } from '../../../engines/change-log/cursor.ts';
import type { LiveDocument } from '../../catalog/catalog-stores.ts';
import { artworkPath } from '../../media/artwork/artwork.ts';
import { type ResumePoint, writeResume } from './resume-token.ts';

/** A mark follows each time after this number of tracks. */
const MARK_INTERVAL = 10_000;
/** The greatest number of tracks in a chunk, which then has some 50 KB. */
const CHUNK_TRACKS = 50;

/** What a response says of itself in its first line. */
export interface SnapshotHead extends ResumePoint {
  /** In milliseconds since the epoch. */
  takenAt: number;
  /** The number of live tracks. */
  tracks: number;
}

/** Where the lines come from, and what ends them. */
export interface SnapshotSource {
  /** The live tracks after the row id of the head, in the order of row ids. */
  documents: AsyncIterable<readonly LiveDocument[]>;
  /** The base of the service's own URLs, without a trailing slash. */
  publicUrl: string;
  /** Whether the lines must end early, without the last one. */
  isEnding(): boolean;
}

/** Writes the lines of a snapshot in chunks, as they are asked for. */
export async function* snapshotChunks(
  { position, takenAt, tracks, language }: SnapshotHead,
  { documents, publicUrl, isEnding }: SnapshotSource,
): AsyncGenerator<Buffer> {
  const cursor = writeCursor(position);
  const time = new Date(takenAt).toISOString();
  yield line({ type: 'snapshot', cursor, seq: position.seq, takenAt: time, tracks });
  const sha256 = createHash('sha256');
  let sent = 0;
  for await (const slice of documents) {
    for (let from = 0; from < slice.length; ) {
      if (isEnding()) return;
      const length = Math.min(CHUNK_TRACKS, MARK_INTERVAL - (sent % MARK_INTERVAL));
      const part = slice.slice(from, from + length);
      const lines = Buffer.from(part.map((track) => trackLine(track, publicUrl)).join(''));
      sha256.update(lines);
      yield lines;
      from += part.length;
      sent += part.length;
      if (sent % MARK_INTERVAL === 0) {
        const after = part.at(-1)!.rowId;
        const resume = writeResume({ position, after, ...(language && { language }) });
        yield line({ type: 'mark', resume });
      }
    }
  }
  yield line({ type: 'end', tracks: sent, sha256: sha256.digest('hex') });
}

/** Returns a track as everywhere else, without its signed URL: a download takes longer than that is valid. */
function trackLine({ document: { json, id, artworkKey } }: LiveDocument, publicUrl: string) {
  return `{"type":"track","track":${json},"artworkUrl":"${publicUrl}${artworkPath(id, artworkKey)}"}}\n`;
}

function line(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}
