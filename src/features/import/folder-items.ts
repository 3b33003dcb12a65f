import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { derivedId } from '../../common/ids.ts';
import type { TrackType } from '../catalog/track.ts';
import { type AudioFile, audioFile, audioFiles, titleOf } from './audio/folder.ts';
import { AudioProblem, type TagReader } from './audio/tag-reader.ts';
import { taggedRecord } from './audio/tagged-record.ts';
import { trackMaker } from './canonical/track.ts';
import type { Item } from './item.ts';

/** How many files make a batch. It is small because each file may contain a picture. */
const BATCH_SIZE = 8;

/**
 * Yields the tracks of a folder of tagged audio, in batches. A faulty file becomes an item with a
 * problem.
 */
export async function* folderItems(
  folder: { path: string; only: string | null },
  {
    source,
    type,
    tagReader,
  }: {
    source: string;
    type?: TrackType | undefined;
    tagReader: TagReader;
  },
): AsyncGenerator<Item[]> {
  const toTrack = trackMaker({ source });
  const files = folder.only === null ? audioFiles(folder.path) : onlyFile(folder.path, folder.only);
  let batch: AudioFile[] = [];
  const itemsOf = () =>
    Promise.all(
      batch.map((file) => itemOf(file, { folder: folder.path, source, type, tagReader, toTrack })),
    );
  for await (const file of files) {
    batch.push(file);
    if (batch.length >= BATCH_SIZE) {
      yield await itemsOf();
      batch = [];
    }
  }
  if (batch.length > 0) {
    yield await itemsOf();
  }
}

async function* onlyFile(folder: string, name: string): AsyncGenerator<AudioFile> {
  yield await audioFile(join(folder, name), name, await realpath(folder));
}

async function itemOf(
  file: AudioFile,
  {
    folder,
    source,
    type,
    tagReader,
    toTrack,
  }: {
    folder: string;
    source: string;
    type: TrackType | undefined;
    tagReader: TagReader;
    toTrack: ReturnType<typeof trackMaker>;
  },
): Promise<Item> {
  const item = { file: file.path, line: null, folder, picture: null, isRead: true };
  const faulty = (message: string): Item => ({
    ...item,
    prepared: {
      delivery: null,
      id: derivedId('track', source, file.relative),
      problems: [{ field: 'audio', message }],
    },
  });
  if (file.problem !== null) {
    return faulty(file.problem);
  }
  try {
    const tags = await tagReader.read(file.path);
    const named = { externalId: file.relative, fileName: titleOf(file.path) };
    const tagged = taggedRecord(tags, named);
    const record = { ...tagged, type: type ?? tagged.type, audio: file.relative };
    return { ...item, prepared: toTrack(record), picture: tags.picture ?? null };
  } catch (error) {
    if (error instanceof AudioProblem) {
      return faulty(error.message);
    }
    throw error;
  }
}
