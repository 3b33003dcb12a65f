import { createRequire } from 'node:module';
import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { ZipFile } from 'yazl';

export interface ArchiveEntry {
  /** In the archive, with `/`. */
  path: string;
  /** The exact length of the file in bytes. */
  sizeBytes: number;
}

/** A ZIP archive whose files are stored without compression. Equal entries and files give equal bytes. */
export interface ZipArchive {
  /** The exact length in bytes. */
  sizeBytes: number;
  /**
   * Opens one file after another, and reads it as fast as the stream is read. The stream fails with an error that names
   * the entry if a file cannot be read, or has another length. Destroying the stream closes the open file.
   */
  read(): Readable;
}

/** A regular file that its owner may write. */
const MODE = 0o100644;

// yazl computes checksums in JavaScript, which takes more time than everything else. Node has a native function.
const checksums = createRequire(import.meta.resolve('yazl'))('buffer-crc32') as {
  unsigned(bytes: Uint8Array, before?: number): number;
};
checksums.unsigned = (bytes, before) => crc32(bytes, before ?? 0);

/** Uses zip64 where it is needed. `open` opens the file of an entry. */
export function zipArchive<Entry extends ArchiveEntry>(
  entries: readonly Entry[],
  open: (entry: Entry) => Promise<Readable>,
): ZipArchive {
  return { sizeBytes: sizeOf(entries), read: () => readArchive(entries, open) };
}

function sizeOf(entries: readonly ArchiveEntry[]): number {
  const zip = new ZipFile();
  // Opens no files: the size depends only on the entries.
  for (const entry of entries) {
    zip.addReadStreamLazy(entry.path, optionsOf(entry), () => {});
  }
  let size = -1;
  // The types of yazl omit the parameter of this function.
  const take: (sizeBytes: number) => void = (sizeBytes) => {
    size = sizeBytes;
  };
  zip.end(undefined, take as () => void);
  if (size < 0) throw new Error('The size of the archive is not known.');
  return size;
}

function readArchive<Entry extends ArchiveEntry>(
  entries: readonly Entry[],
  open: (entry: Entry) => Promise<Readable>,
): Readable {
  const zip = new ZipFile();
  // The types of yazl know only the interface that all streams have.
  const output = zip.outputStream as Readable;
  let current: Readable | undefined;
  let path = '';
  const fail = (cause: unknown) =>
    output.destroy(new Error(`The archive ends within ${path}, which cannot be read.`, { cause }));
  zip.on('error', fail);
  // The stream may fail before its reader listens. The reader then finds it destroyed.
  output.on('error', () => {});
  output.once('close', () => current?.destroy());
  for (const entry of entries) {
    zip.addReadStreamLazy(entry.path, optionsOf(entry), (take) => {
      path = entry.path;
      open(entry).then((file) => {
        current = file;
        // yazl does not notice that a file fails, and notices too many bytes only at the end.
        file.once('error', fail);
        let leftBytes = entry.sizeBytes;
        file.on('data', (chunk: Buffer) => {
          leftBytes -= chunk.length;
          if (leftBytes < 0) fail(new Error('The file is longer than expected.'));
        });
        if (output.destroyed) {
          file.destroy();
        } else {
          take(null, file);
        }
      }, fail);
    });
  }
  zip.end();
  return output;
}

function optionsOf({ sizeBytes }: ArchiveEntry) {
  // A constant, so that the bytes are equal on every node. yazl writes it as the time of the local time zone.
  const date = new Date(2000, 0, 1);
  return { size: sizeBytes, compress: false, mtime: date, mode: MODE, forceDosTimestamp: true };
}
