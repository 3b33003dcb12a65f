import type { FileHandle } from 'node:fs/promises';
import { posix } from 'node:path';
import { type Entry, fromFdPromise, type ZipFile } from 'yauzl';
import { OperatorError } from '../../../common/errors.ts';
import { cannotRead, type Input, isGzip, openInput } from './bytes.ts';
import { UnreadableError } from './decoded.ts';
import { WorkbookStyles } from './xlsx-numbers.ts';
import { SharedStrings, type SheetRow, SheetRows } from './xlsx-rows.ts';
import { parseXml, type XmlHandler } from './xml.ts';

export interface Sheet {
  name: string;
  isVisible: boolean;
  /** The name of its part in the archive. */
  part: string;
}

const MAX_SHEETS = 1000;
const MAX_RELATIONS = 10_000;
/** Cells may share long texts: all that cells take, as a multiple of the size of the file. */
const MAX_SHARED_RATIO = 50;
const FREE_SHARED = 16 * 1024 * 1024;

interface Relation {
  type: string;
  target: string;
}

/** A workbook in the form of Office Open XML (`.xlsx`). The caller must dispose of it. */
export class Workbook {
  readonly #archive: WorkbookArchive;
  readonly #index: SheetIndex;
  #shared: { strings: readonly string[]; styles: WorkbookStyles } | undefined;
  #sharedCharacters = 0;

  private constructor(archive: WorkbookArchive, index: SheetIndex) {
    this.#archive = archive;
    this.#index = index;
  }

  /** In the order of the tabs. */
  get sheets(): readonly Sheet[] {
    return this.#index.sheets;
  }

  /** Rejects with UnreadableError if the file is no workbook that can be read. */
  static async open(file: Input): Promise<Workbook> {
    const archive = await WorkbookArchive.open(file);
    try {
      const [document] = ofType(await relationsOf(archive, ''), 'officeDocument');
      if (document === undefined || !archive.has(document)) {
        throw new UnreadableError(0, 'the file is a ZIP archive and no workbook; unpack it');
      }
      const index = new SheetIndex(await relationsOf(archive, document));
      await parseWhole(archive, document, index);
      return new Workbook(archive, index);
    } catch (error) {
      await archive.close();
      throw error;
    }
  }

  /**
   * Reads the rows of a worksheet that are not empty. Calls `onRead` with how many bytes of the
   * file were read. Rejects with UnreadableError if the data are damaged or exceed a limit.
   */
  async *rows(sheet: Sheet, onRead?: (bytes: number) => void): AsyncGenerator<SheetRow[]> {
    this.#shared ??= await this.#readShared(onRead);
    const onShared = (characters: number) => {
      this.#sharedCharacters += characters;
      if (this.#sharedCharacters > FREE_SHARED + this.#archive.sizeBytes * MAX_SHARED_RATIO) {
        const reason = `the texts of the cells are more than ${MAX_SHARED_RATIO} times the size of the file; the rest was not read`;
        throw new UnreadableError(0, reason);
      }
    };
    const rows = new SheetRows({ ...this.#shared, is1904: this.#index.is1904, onShared });
    try {
      for await (const _ of parseXml(this.#archive.read(sheet.part, onRead), rows)) {
        if (rows.found.length > 0) {
          yield rows.found.splice(0);
        }
      }
    } catch (error) {
      if (rows.found.length > 0) {
        yield rows.found.splice(0);
      }
      throw inPart(sheet.part, error, rows.position);
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#archive.close();
  }

  async #readShared(onRead?: (bytes: number) => void) {
    const shared = new SharedStrings();
    const styles = new WorkbookStyles();
    const { relations } = this.#index;
    await parseWhole(this.#archive, ofType(relations, 'styles')[0], styles);
    await parseWhole(this.#archive, ofType(relations, 'sharedStrings')[0], shared, onRead);
    return { strings: shared.texts, styles };
  }
}

class SheetIndex implements XmlHandler {
  readonly sheets: Sheet[] = [];
  is1904 = false;
  readonly relations: ReadonlyMap<string, Relation>;

  constructor(relations: ReadonlyMap<string, Relation>) {
    this.relations = relations;
  }

  open({ name, attributes }: { name: string; attributes: Readonly<Record<string, string>> }): void {
    if (name === 'workbookPr') {
      this.is1904 = /^(1|true|on)$/.test(attributes.date1904 ?? '');
    } else if (name === 'sheet') {
      // The prefix of the attribute is free; without a prefix it is none of this kind.
      const key = Object.keys(attributes).find((attribute) => attribute.endsWith(':id'));
      const relation = key === undefined ? undefined : this.relations.get(attributes[key]!);
      if (relation?.type !== 'worksheet') {
        return;
      }
      if (this.sheets.length >= MAX_SHEETS) {
        throw new UnreadableError(0, `the workbook has more than ${MAX_SHEETS} sheets`);
      }
      const isVisible = (attributes.state ?? 'visible') === 'visible';
      this.sheets.push({ name: attributes.name ?? '', isVisible, part: relation.target });
    }
  }
}

/** Reads what a part refers to, by id. `''` is the archive itself. Targets are names of parts. */
async function relationsOf(
  archive: WorkbookArchive,
  part: string,
): Promise<ReadonlyMap<string, Relation>> {
  const folder = part === '' ? '' : posix.dirname(part);
  const relations = new Map<string, Relation>();
  const file = posix.join(folder, '_rels', `${posix.basename(part)}.rels`);
  await parseWhole(archive, file, {
    open({ name, attributes: { Id = '', Type = '', Target = '' } }) {
      if (name === 'Relationship' && relations.size < MAX_RELATIONS) {
        const target = Target.startsWith('/') ? Target.slice(1) : posix.join(folder, Target);
        relations.set(Id, { type: Type.slice(Type.lastIndexOf('/') + 1), target });
      }
    },
  });
  return relations;
}

function ofType(relations: ReadonlyMap<string, Relation>, type: string): string[] {
  return [...relations.values()].filter((one) => one.type === type).map(({ target }) => target);
}

/** A part that does not exist is as good as an empty one. */
async function parseWhole(
  archive: WorkbookArchive,
  part: string | undefined,
  handler: XmlHandler,
  onRead?: (bytes: number) => void,
): Promise<void> {
  if (part === undefined || !archive.has(part)) return;
  try {
    for await (const _ of parseXml(archive.read(part, onRead), handler));
  } catch (error) {
    throw inPart(part, error, 0);
  }
}

/** The position of an error in XML is a line of the part, which nobody sees. */
function inPart(part: string, error: unknown, position: number): unknown {
  return error instanceof UnreadableError
    ? new UnreadableError(position, `${error.message} (in ${part.slice(0, 100)})`, { cause: error })
    : error;
}

const MAX_PARTS = 10_000;
/** Real workbooks unpack to between four and twenty times their size. */
const MAX_UNPACKED_RATIO = 50;
/** How many bytes may be unpacked whatever the ratio. */
const FREE_UNPACKED_BYTES = 16 * 1024 * 1024;
/** The caller parses one piece at once, and holds what it found there: long texts of short cells. */
const PIECE_BYTES = 4 * 1024;

class WorkbookArchive {
  readonly sizeBytes: number;
  readonly #input: Input;
  readonly #file: FileHandle;
  readonly #zip: ZipFile;
  /** By name in lower case, as the standard compares names. */
  readonly #parts: ReadonlyMap<string, Entry>;
  #unpackedBytes = 0;

  private constructor(input: Input, file: FileHandle, zip: ZipFile, parts: Map<string, Entry>) {
    this.#input = input;
    this.#file = file;
    this.#zip = zip;
    this.#parts = parts;
    this.sizeBytes = zip.fileSize;
  }

  /** Rejects with UnreadableError if the file is no ZIP archive, or another kind of document. */
  static async open(input: Input): Promise<WorkbookArchive> {
    const file = await openInput(input);
    try {
      if (await isGzip(file)) {
        throw new UnreadableError(0, 'the workbook is compressed with gzip; unpack it');
      }
      const zip = await fromFdPromise(file.fd, { autoClose: false });
      const parts = new Map<string, Entry>();
      for await (const entry of zip.eachEntry()) {
        parts.set(entry.fileName.toLowerCase(), entry);
        if (parts.size > MAX_PARTS) {
          throw new UnreadableError(0, `the ZIP archive has more than ${MAX_PARTS} files`);
        }
      }
      refuseOthers(parts);
      return new WorkbookArchive(input, file, zip, parts);
    } catch (error) {
      if (file !== input) await file.close();
      throw archiveProblem(error, input);
    }
  }

  has(name: string): boolean {
    return this.#parts.has(name.toLowerCase());
  }

  /**
   * Reads a part in pieces; a part that does not exist has none. Calls `onRead` with how many bytes
   * of the file were read, to show progress. Rejects with UnreadableError if the data are damaged,
   * or if all parts that were read of the archive unpack to too much.
   */
  async *read(name: string, onRead?: (bytes: number) => void): AsyncGenerator<Uint8Array> {
    const entry = this.#parts.get(name.toLowerCase());
    if (entry === undefined) {
      return;
    }
    try {
      if (entry.isEncrypted()) {
        throw new UnreadableError(0, 'the ZIP archive is encrypted; save it without a password');
      }
      const packing = entry.compressedSize / Math.max(1, entry.uncompressedSize);
      const stream = await this.#zip.openReadStreamPromise(entry);
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        this.#count(chunk.length);
        onRead?.(chunk.length * packing);
        for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
          yield chunk.subarray(at, at + PIECE_BYTES);
        }
      }
    } catch (error) {
      throw archiveProblem(error, this.#input);
    }
  }

  async close(): Promise<void> {
    if (this.#file !== this.#input) await this.#file.close();
  }

  #count(bytes: number): void {
    this.#unpackedBytes += bytes;
    if (this.#unpackedBytes > FREE_UNPACKED_BYTES + this.sizeBytes * MAX_UNPACKED_RATIO) {
      const reason = `the workbook unpacks to more than ${MAX_UNPACKED_RATIO} times its size; the rest was not read`;
      throw new UnreadableError(0, reason);
    }
  }
}

/** Throws UnreadableError that names what the archive is, unless it may be a workbook. */
function refuseOthers(parts: ReadonlyMap<string, Entry>): void {
  const other = parts.has('xl/workbook.bin')
    ? 'a binary workbook (.xlsb); save it as .xlsx or CSV'
    : parts.has('mimetype') && parts.has('content.xml')
      ? 'an OpenDocument file (.ods); save it as .xlsx or CSV'
      : [...parts.keys()].some((name) => name.endsWith('.iwa'))
        ? 'a document of Numbers; export it as .xlsx or CSV'
        : parts.has('_rels/.rels')
          ? undefined
          : 'a ZIP archive and no workbook; unpack it';
  if (other !== undefined) {
    throw new UnreadableError(0, `the file is ${other}`);
  }
}

function archiveProblem(error: unknown, input: Input): unknown {
  if (error instanceof UnreadableError || error instanceof OperatorError) {
    return error;
  }
  const { syscall, message } = error as NodeJS.ErrnoException;
  if (syscall !== undefined) {
    return cannotRead(input, error);
  }
  const reason = `the ZIP archive of the workbook is damaged (${message.slice(0, 200)}); the rest was not read`;
  return new UnreadableError(0, reason, { cause: error });
}
