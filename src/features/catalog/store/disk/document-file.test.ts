import { mkdir, mkdtemp, open, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../../../common/ids.ts';
import { silentLog } from '../../../../common/log.ts';
import { AUDIO_EXTENSIONS } from '../../../../engines/blobs/content-types.ts';
import type { DocumentParts, FilterText } from '../../document-copy.ts';
import type { TrackDocument } from '../../track.ts';
import { DocumentFile } from './document-file.ts';
import { DocumentFileWriter } from './document-writer.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stave-documents-'));
  path = join(folder, 'documents.copy');
});
afterEach(() => rm(folder, { recursive: true }));

const FILTERS: FilterText[] = [2, 3, 7, 90].map((rowId) => ({
  rowId,
  json: JSON.stringify({ id: newId(), name: `Größe ${rowId}` }),
}));
const NONE: ReadonlySet<number> = new Set();
const CATALOG = 'this one, at 45';
const AS_OF = 1_700_000_000_000;

function partsOf(rowId: number, values: Partial<DocumentParts> = {}): DocumentParts {
  return {
    rowId,
    artworkKey: null,
    streamExtension: '',
    before: `{"id":"${newId()}","name":"Night Ferry ${rowId}","filters":[`,
    filters: [3, 2],
    after: '],"isrc":""',
    ...values,
  };
}

const writer = (madeBy = 'stave 1') => new DocumentFileWriter({ path, madeBy, by: 'service' });

function write(documents: readonly DocumentParts[], expected = documents.length) {
  const slices = async function* () {
    for (let i = 0; i < documents.length; i += 3) yield documents.slice(i, i + 3);
  };
  return writer().write(
    {
      documents: slices(),
      filters: async () => FILTERS,
      catalog: async () => CATALOG,
      seq: async () => 41,
      expected,
    },
    AS_OF,
  );
}

/** The text that pages show. */
function textOf({ before, filters, after }: DocumentParts): string {
  const texts = filters.map((rowId) => FILTERS.find((one) => one.rowId === rowId)!.json);
  return before + texts.join() + after;
}

function written(document: TrackDocument): string {
  const buffer = Buffer.alloc(document.bytes + 2, '#');
  document.write(buffer, 1);
  expect([buffer[0], buffer.at(-1)]).toEqual([35, 35]);
  return buffer.toString('utf8', 1, 1 + document.bytes);
}

const anyParts = fc.record({
  artworkKey: fc.option(fc.string({ unit: 'grapheme', minLength: 1 })),
  streamExtension: fc.constantFrom('', ...AUDIO_EXTENSIONS),
  before: fc
    .string({ unit: 'grapheme', maxLength: 5_000 })
    .map((name) => `{"id":"${newId()}",${name}`),
  filters: fc.array(fc.constantFrom(...FILTERS.map(({ rowId }) => rowId)), { maxLength: 12 }),
  after: fc.string({ unit: 'grapheme' }),
});

describe('the document file', () => {
  it('returns every document as it was written, in any order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: 1, max: 400 }), { maxLength: 60 }),
        fc.infiniteStream(anyParts),
        async (rowIds, stream) => {
          const documents = rowIds
            .sort((a, b) => a - b)
            .map((rowId) => ({ rowId, ...stream.next().value! }));
          const columns = await write(documents);
          const reading = writer().read();
          expect(reading).toEqual({ columns, catalog: CATALOG, asOf: AS_OF });
          const file = DocumentFile.open(path, columns, silentLog);
          const asked = [...rowIds, 401, 70_000, 0].reverse();
          const read = file.read(asked, NONE);
          file.close();
          for (const [i, rowId] of asked.entries()) {
            const parts = documents.find((one) => one.rowId === rowId);
            const document = read[i];
            expect(document === undefined).toBe(parts === undefined);
            if (document === undefined || parts === undefined) continue;
            expect(written(document)).toBe(textOf(parts));
            expect(document.artworkKey).toBe(parts.artworkKey);
            expect(document.streamExtension).toBe(parts.streamExtension);
            expect(document.id).toBe(parts.before.slice(7, 43));
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it('reads all records of a call into one buffer that it is given', async () => {
    const file = DocumentFile.open(path, await write([partsOf(1), partsOf(2)]), silentLog);
    const given: Buffer[] = [];
    const allocate = (bytes: number) => {
      given.push(Buffer.alloc(bytes + 100));
      return given.at(-1)!;
    };
    const read = file.read([2, 1], NONE, allocate);
    file.close();
    expect(given).toHaveLength(1);
    expect(read.map((document) => written(document!))).toEqual(
      [2, 1].map((i) => expect.stringContaining(`Night Ferry ${i}`)),
    );
  });

  it('does not return the tracks that changed since', async () => {
    const file = DocumentFile.open(path, await write([partsOf(1), partsOf(2)]), silentLog);
    expect(file.read([1, 2], new Set([2])).map((one) => one !== undefined)).toEqual([true, false]);
    file.close();
  });

  it('has no documents that the format cannot hold, or whose filters are unknown', async () => {
    const documents = [
      partsOf(1, { filters: Array(70_000).fill(2) }),
      partsOf(2, { filters: [4] }),
      partsOf(3, { filters: [90_000] }),
      partsOf(4, { before: `{"id":"${newId()}",${'x'.repeat(3_000_000)}` }),
      partsOf(5),
    ];
    const file = DocumentFile.open(path, await write(documents), silentLog);
    const read = file.read([1, 2, 3, 4, 5], NONE);
    expect(read.map((one) => one && written(one))).toEqual([
      undefined,
      undefined,
      undefined,
      textOf(documents[3]!),
      textOf(documents[4]!),
    ]);
    file.close();
  });

  it('is not written if its column of row ids would be too long', async () => {
    await expect(write([partsOf(1), partsOf(4_000_000_000)])).rejects.toThrow('too far apart');
    await expect(stat(path)).rejects.toThrow('ENOENT');
    expect(writer().read()).toEqual({ absent: true });
  });

  it('is private, and is replaced while it is open', async () => {
    const columns = await write([partsOf(1)]);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const file = DocumentFile.open(path, columns, silentLog);
    const [before] = file.read([1], NONE);
    await write([partsOf(1), partsOf(2)]);
    expect(written(file.read([1, 2], NONE)[0]!)).toBe(written(before!));
    expect(file.read([2], NONE)).toEqual([undefined]);
    file.close();
    expect(() => DocumentFile.open(path, columns, silentLog)).toThrow('was replaced');
  });

  it('is refused if it is truncated at any position', async () => {
    await write([partsOf(1), partsOf(2)]);
    const bytes = await readFile(path);
    for (let length = 0; length < bytes.length; length += 7) {
      await writeFile(path, bytes.subarray(0, length));
      expect(writer().read()).toEqual({ refused: expect.any(String) });
    }
  });

  it('is refused if any byte after the records is changed', async () => {
    const { starts } = await write([partsOf(1), partsOf(2)]);
    const bytes = await readFile(path);
    for (let at = starts.at(-1)! * 8; at < bytes.length; at += 11) {
      const damaged = Buffer.from(bytes);
      damaged[at]! ^= 4;
      await writeFile(path, damaged);
      expect(writer().read()).toEqual({ refused: expect.any(String) });
    }
  });

  it('is refused if another version wrote it', async () => {
    await write([partsOf(1)]);
    expect(writer('stave 2').read()).toEqual({
      refused: 'it was written by another version, stave 1',
    });
  });

  it('returns no damaged document, and logs it once', async () => {
    const columns = await write([partsOf(1), partsOf(2), partsOf(3)]);
    const lines: string[] = [];
    const log = { ...silentLog, error: (_: object, message: string) => lines.push(message) };
    const damaged = await open(path, 'r+');
    await damaged.write(Buffer.from('x'), 0, 1, columns.starts[2]! * 8 + 40);
    await damaged.close();
    const file = DocumentFile.open(path, columns, log);
    const found = () => file.read([1, 2, 3], NONE).map((document) => document !== undefined);
    expect(found()).toEqual([true, false, true]);
    await truncate(path, columns.starts[3]! * 8 + 8);
    expect(found()).toEqual([true, false, false]);
    expect(lines).toEqual(['the document file is damaged: the database is read instead']);
    file.close();
  });

  it('leaves nothing behind when it cannot be written', async () => {
    const fails = async function* () {
      yield [partsOf(1)];
      throw new Error('the database is unavailable');
    };
    const failing = {
      documents: fails(),
      filters: async () => FILTERS,
      catalog: async () => CATALOG,
      seq: async () => 1,
      expected: 1,
    };
    await expect(writer().write(failing, AS_OF)).rejects.toThrow('unavailable');
    expect(writer().read()).toEqual({ absent: true });
    for (const by of ['service', 'import']) {
      await writeFile(`${path}.${by}.1f.unfinished`, 'of a process that was killed');
    }
    const { mtimeMs } = await stat(`${path}.import.1f.unfinished`);
    expect(await writer().clearUp(mtimeMs + 60_000)).toBe(true);
    await expect(stat(`${path}.service.1f.unfinished`)).rejects.toThrow('ENOENT');
    expect(await writer().clearUp(mtimeMs + 60_001)).toBe(false);
    await expect(stat(`${path}.import.1f.unfinished`)).rejects.toThrow('ENOENT');
  });

  it('is read although an incomplete file cannot be removed', async () => {
    const columns = await write([partsOf(1)]);
    await mkdir(`${path}.unfinished`);
    expect(await writer().clearUp(Number.POSITIVE_INFINITY)).toBe(false);
    expect(writer().read()).toMatchObject({ columns });
  });
});
