import { posix } from 'node:path';
import { UnreadableError } from './decoded.ts';
import type { Input } from './input.ts';
import { WorkbookArchive } from './xlsx-archive.ts';
import { type SheetRow, SheetRows } from './xlsx-rows.ts';
import { SharedStrings, sharedStringsHandler } from './xlsx-strings.ts';
import { WorkbookStyles } from './xlsx-styles.ts';
import { parseXml, type XmlHandler } from './xml.ts';

/** A worksheet. */
export interface Sheet {
  name: string;
  isVisible: boolean;
  /** The name of its part in the archive. */
  part: string;
}

const MAX_SHEETS = 1000;
const MAX_RELATIONS = 10_000;
/**
 * Cells may share long texts. All that cells take may be this many times the size of the file, and
 * as many bytes whatever the ratio.
 */
const MAX_SHARED_RATIO = 50;
const FREE_SHARED = 16 * 1024 * 1024;

interface Relation {
  type: string;
  target: string;
}

/** A workbook in the form of Office Open XML (`.xlsx`). The caller must close it. */
export class Workbook {
  /** In the order of the tabs. */
  readonly sheets: readonly Sheet[];
  readonly #archive: WorkbookArchive;
  readonly #parts: { strings: string | undefined; styles: string | undefined };
  readonly #is1904: boolean;
  #shared: { strings: SharedStrings; styles: WorkbookStyles } | undefined;
  #sharedCharacters = 0;

  private constructor(
    archive: WorkbookArchive,
    { sheets, is1904 }: { sheets: Sheet[]; is1904: boolean },
    parts: { strings: string | undefined; styles: string | undefined },
  ) {
    this.#archive = archive;
    this.#parts = parts;
    this.#is1904 = is1904;
    this.sheets = sheets;
  }

  /** Rejects with UnreadableError if the file is no workbook that can be read. */
  static async open(file: Input): Promise<Workbook> {
    const archive = await WorkbookArchive.open(file);
    try {
      const [document] = ofType(await relationsOf(archive, ''), 'officeDocument');
      if (document === undefined || !archive.has(document)) {
        throw new UnreadableError(0, 'the file is a ZIP archive and no workbook; unpack it');
      }
      const relations = await relationsOf(archive, document);
      const index = new SheetIndex(relations);
      await parseWhole(archive, document, index);
      const [strings] = ofType(relations, 'sharedStrings');
      const [styles] = ofType(relations, 'styles');
      return new Workbook(archive, index, { strings, styles });
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
    const rows = new SheetRows({ ...this.#shared, is1904: this.#is1904, onShared });
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

  close(): Promise<void> {
    return this.#archive.close();
  }

  async #readShared(onRead?: (bytes: number) => void) {
    const strings = new SharedStrings();
    const styles = new WorkbookStyles();
    const { strings: stringsPart, styles: stylesPart } = this.#parts;
    if (stylesPart !== undefined) {
      await parseWhole(this.#archive, stylesPart, styles);
    }
    if (stringsPart !== undefined) {
      await parseWhole(this.#archive, stringsPart, sharedStringsHandler(strings), onRead);
    }
    return { strings, styles };
  }
}

/** Collects the worksheets of the part that lists them. */
class SheetIndex implements XmlHandler {
  readonly sheets: Sheet[] = [];
  is1904 = false;
  readonly #relations: ReadonlyMap<string, Relation>;

  constructor(relations: ReadonlyMap<string, Relation>) {
    this.#relations = relations;
  }

  open({ name, attributes }: { name: string; attributes: Readonly<Record<string, string>> }): void {
    if (name === 'workbookPr') {
      this.is1904 = /^(1|true|on)$/.test(attributes.date1904 ?? '');
    } else if (name === 'sheet') {
      // The prefix of the attribute is free; without a prefix it is none of this kind.
      const key = Object.keys(attributes).find((attribute) => attribute.endsWith(':id'));
      const relation = key === undefined ? undefined : this.#relations.get(attributes[key]!);
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

  text(): void {}

  close(): void {}
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
    text() {},
    close() {},
  });
  return relations;
}

function ofType(relations: ReadonlyMap<string, Relation>, type: string): string[] {
  return [...relations.values()].filter((one) => one.type === type).map(({ target }) => target);
}

/** A part that does not exist is as good as an empty one. */
async function parseWhole(
  archive: WorkbookArchive,
  part: string,
  handler: XmlHandler,
  onRead?: (bytes: number) => void,
): Promise<void> {
  if (!archive.has(part)) {
    return;
  }
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
