import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { openRegularFile } from '../../../common/files.ts';
import { isShorter } from '../../../engines/audio/whole-file.ts';
import { AUDIO_EXTENSIONS, extensionOf } from '../../../engines/blobs/content-types.ts';
import type { MediaStore, StoredMedia } from '../../../engines/blobs/media-store.ts';
import type { CatalogStore } from '../../catalog/store/catalog-store.ts';
import type { StreamPolicy } from '../../catalog/streamed-audio.ts';
import { FileProblem } from '../audio/file-problem.ts';
import type { AudioFacts } from '../audio/read-tags.ts';
import type { TagReader } from '../audio/tag-reader.ts';
import type { Place } from '../item.ts';
import type { MediaNotes, Remedy } from '../media-notes.ts';
import { describe } from '../record.ts';
import type { FileFinder, Found } from './file-finder.ts';

export interface MediaContext {
  catalog: Pick<CatalogStore, 'trackRecord' | 'trackParts'>;
  media: Pick<MediaStore, 'stat' | 'read' | 'localPath' | 'putFile' | 'putBytes'>;
  tagReader: TagReader;
  files: FileFinder;
  notes: MediaNotes;
  streams: StreamPolicy;
  /** Whether every missing file rejects its record. */
  strictFiles: boolean;
}

/** Calls `take` with a file. Returns what is wrong with the file; null if nothing is. */
export async function problemWith(
  found: Found,
  take: (found: Found) => Promise<void>,
): Promise<string | null> {
  try {
    await take(found);
    return null;
  } catch (error) {
    if (error instanceof FileProblem) return error.message;
    throw error;
  }
}

/**
 * Notes what is unusual about an audio file: its extension, its length, its format.
 * @param expectedSeconds the length that the record says; 0 if it says none
 */
export function noteAudio(
  facts: AudioFacts,
  { place, field, name, expectedSeconds, streams }: NamedAudio,
  notes: MediaNotes,
): void {
  const { durationSeconds: seconds, renamed, isCutOff, rarelyPlayed } = facts;
  const subject = `${field} ${describe(name)}`;
  if (renamed !== undefined)
    notes.add('renamed', place, `${subject} is ${renamed}, and taken for it`);
  if (isCutOff) {
    notes.add('length', place, `${subject} is cut off: its end is missing`);
  } else if (seconds === 0) {
    notes.add('length', place, `${subject} has a length of 0, or an unknown one`);
  } else if (isShorter(seconds, expectedSeconds)) {
    const lengths = `has ${seconds.toFixed(1)} s, and the record says ${expectedSeconds} s`;
    notes.add('length', place, `${subject} ${lengths}`);
  }
  if (rarelyPlayed !== undefined) {
    notes.countRarelyPlayed(rarelyPlayed, streams && remedyOf(facts.extension, streams));
  }
}

function remedyOf(extension: string, { mode, formats }: StreamPolicy): Remedy | undefined {
  if (mode === 'original') return undefined;
  return formats.includes(extension) ? 'made' : 'missing';
}

interface NamedAudio {
  place: Place;
  /** The member that names it. */
  field: string;
  name: string;
  expectedSeconds: number;
  /** What streams of it send; absent for a part, whose file is always sent. */
  streams?: StreamPolicy;
}

export function extensionOfFound(found: Found): string {
  return extensionOf('key' in found ? found.key : found.path);
}

/** Throws FileProblem if a key of the media store is that of no audio. */
export function refuseOtherKey(key: string): void {
  if (!AUDIO_EXTENSIONS.includes(extensionOf(key))) {
    throw new FileProblem(`must be an audio file (${AUDIO_EXTENSIONS.join(', ')})`);
  }
}

/**
 * Calls `use` with the path of the file. What is in the media store is copied into a temporary file for that time. Throws
 * not_found if the media store has lost it.
 */
export async function withPath<T>(
  found: Found,
  media: Pick<MediaStore, 'read'>,
  use: (path: string) => Promise<T>,
): Promise<T> {
  if ('path' in found) {
    return use(found.path);
  }
  await using folder = await mkdtempDisposable(join(tmpdir(), 'stave-media-'));
  const path = join(folder.path, found.key);
  await pipeline(await media.read(found.key), createWriteStream(path, { mode: 0o600 }));
  return await use(path);
}

/** Returns what a media store would make of a file. */
export async function storedForm(path: string, extension: string): Promise<StoredMedia> {
  const hash = createHash('sha256');
  const file = (await openRegularFile(path)).createReadStream();
  await pipeline(file, hash);
  return { key: `${hash.digest('hex')}.${extension}`, sizeBytes: file.bytesRead };
}
