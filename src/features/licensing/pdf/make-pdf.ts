import PDFDocument from 'pdfkit';
import {
  type Detail,
  type PrintableLicense,
  type PrintedLicense,
  printedLicense,
  type TrackLine,
} from './printed-license.ts';
import { type TextBlock, TextSetter, type TextStyle } from './text-block.ts';
import type { Typeface } from './typeface.ts';

/** A page of A4, in points. */
const [PAGE_WIDTH, PAGE_HEIGHT] = [595.28, 841.89];
const MARGIN = 56;
const WIDTH = PAGE_WIDTH - 2 * MARGIN;
/** The end of the contents of a page, above its foot. */
const BOTTOM = PAGE_HEIGHT - 76;
const GAP = 24;

const GRAY = '#5b6874';
const RULE = '#d5dbe1';
const ACCENT = '#14505c';
const WARNING = '#9b2226';

const LABEL: TextStyle = { size: 7.5, color: GRAY };
const VALUE: TextStyle = { size: 10.5 };
const NOTE: TextStyle = { size: 7.5, color: GRAY };
const HEAD: TextStyle = { size: 7.5, weight: 700, color: GRAY };

/** The columns of the list of tracks: where they begin, and how wide they are. */
const COLUMNS = { no: [0, 26], name: [26, 216], artists: [254, 136], isrc: [402, 81] } as const;

/**
 * Makes the PDF of a license, with its certificate attached. The bytes depend on the license alone, so that every node
 * makes the same ones: nothing is compressed, because that depends on the processor.
 */
export async function makePdf(license: PrintableLicense, typeface: Typeface): Promise<Buffer> {
  const printed = printedLicense(license, typeface);
  const issued = new Date(printed.issuedAt);
  const doc = new PDFDocument({
    size: 'A4',
    margin: 0,
    bufferPages: true,
    compress: false,
    lang: 'en',
    displayTitle: true,
    font: null as unknown as string,
    info: {
      Title: `License ${printed.number}`,
      Author: printed.issuer,
      Subject: 'Music license certificate',
      Creator: 'Stave',
      Producer: 'Stave',
      CreationDate: issued,
      ModDate: issued,
    },
  });
  const chunks: Buffer[] = [];
  doc.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<void>((resolve, reject) => {
    doc.on('end', resolve).on('error', reject);
  });
  new LicensePages(doc, typeface).draw(printed);
  doc.file(Buffer.from(license.certificate), {
    name: 'certificate.jws',
    type: 'application/jose',
    description: `Certificate of the license ${printed.number}`,
    creationDate: issued,
    modifiedDate: issued,
  });
  doc.end();
  await ended;
  return Buffer.concat(chunks);
}

class LicensePages {
  readonly #doc: PDFKit.PDFDocument;
  readonly #setter: TextSetter;
  #y = MARGIN;

  constructor(doc: PDFKit.PDFDocument, typeface: Typeface) {
    this.#doc = doc;
    this.#setter = new TextSetter(doc, typeface);
  }

  draw(license: PrintedLicense): void {
    this.#drawHead(license);
    for (const pair of license.details) this.#drawDetails(pair);
    this.#drawTracks(license.tracks);
    this.#drawVerification(license.verification);
    this.#drawFeet(license);
  }

  #drawHead({ issuer, number, isTest }: PrintedLicense): void {
    this.#doc.rect(0, 0, PAGE_WIDTH, 10).fill(isTest ? WARNING : ACCENT);
    this.#put(issuer, { size: 9.5, color: GRAY });
    this.#y += 8;
    this.#put('License certificate', { size: 25, weight: 700, color: ACCENT });
    this.#y += 2;
    this.#put(number, { size: 13, weight: 700 });
    this.#y += 12;
    if (isTest) this.#drawWarning();
    this.#rule();
    this.#y += 14;
  }

  #drawWarning(): void {
    const text = 'Test license. It was issued for tests of software and grants no rights.';
    const block = this.#setter.block(text, WIDTH - 24, {
      size: 10,
      weight: 700,
      color: WARNING,
    });
    this.#doc
      .lineWidth(1)
      .rect(MARGIN, this.#y, WIDTH, block.height + 16)
      .stroke(WARNING);
    this.#setter.draw(block, MARGIN + 12, this.#y + 8);
    this.#y += block.height + 32;
  }

  /** Draws two details side by side. Pages break between pairs. */
  #drawDetails(pair: readonly [Detail, Detail]): void {
    const width = (WIDTH - GAP) / 2;
    const blocks = pair.map((detail) => this.#detailBlocks(detail, width));
    this.#makeRoom(Math.max(...blocks.map(heightOf)));
    this.#drawColumns(
      blocks.map((column, i) => ({ x: MARGIN + i * (width + GAP), blocks: column })),
    );
    this.#y += 10;
  }

  #detailBlocks({ label, value, note }: Detail, width: number): TextBlock[] {
    return [
      this.#setter.block(label, width, LABEL),
      this.#setter.block(value, width, VALUE),
      ...(note === undefined ? [] : [this.#setter.block(note, width, NOTE)]),
    ];
  }

  #drawTracks(tracks: readonly TrackLine[]): void {
    this.#y += 6;
    this.#makeRoom(80);
    this.#put(tracks.length === 1 ? 'Licensed track' : `Licensed tracks (${tracks.length})`, {
      size: 12.5,
      weight: 700,
      color: ACCENT,
    });
    this.#y += 6;
    this.#drawTrackHead();
    for (const [i, track] of tracks.entries()) this.#drawTrack(i + 1, track);
    this.#y += 14;
  }

  #drawTrackHead(): void {
    const heads = { no: 'No.', name: 'Title', artists: 'Artists', isrc: 'ISRC' } as const;
    for (const [name, text] of Object.entries(heads) as [keyof typeof COLUMNS, string][]) {
      const [x, width] = COLUMNS[name];
      this.#setter.draw(this.#setter.block(text, width, HEAD), MARGIN + x, this.#y);
    }
    this.#y += 14;
    this.#rule();
  }

  #drawTrack(no: number, { name, artists, isrc, note }: TrackLine): void {
    const cell = (column: keyof typeof COLUMNS, text: string, style: TextStyle) =>
      this.#setter.block(text, COLUMNS[column][1], style);
    const cells = {
      no: [cell('no', String(no), { size: 9, color: GRAY })],
      name: [
        cell('name', name, { size: 9.5, weight: 700 }),
        ...(note === undefined ? [] : [cell('name', note, NOTE)]),
      ],
      artists: [cell('artists', artists, { size: 9 })],
      isrc: [cell('isrc', isrc, { size: 9 })],
    };
    const height = Math.max(...Object.values(cells).map(heightOf));
    if (this.#makeRoom(height + 12)) this.#drawTrackHead();
    this.#y += 5;
    this.#drawColumns(
      Object.entries(cells).map(([column, blocks]) => {
        return { x: MARGIN + COLUMNS[column as keyof typeof COLUMNS][0], blocks };
      }),
    );
    this.#y += 5;
    this.#rule();
  }

  #drawVerification(lines: readonly string[]): void {
    const blocks = lines.map((line) => this.#setter.block(line, WIDTH - 28, { size: 8.5 }));
    const height = heightOf(blocks) + (blocks.length - 1) * 3 + 24;
    this.#makeRoom(height + 26);
    this.#put('Verification', { size: 12.5, weight: 700, color: ACCENT });
    this.#y += 6;
    this.#doc.rect(MARGIN, this.#y, WIDTH, height).fill('#f2f5f7');
    this.#doc.rect(MARGIN, this.#y, 3, height).fill(ACCENT);
    let y = this.#y + 12;
    for (const block of blocks) y = this.#setter.draw(block, MARGIN + 16, y) + 3;
    this.#y += height;
  }

  /** Draws the feet last, because they contain the number of pages. */
  #drawFeet({ number, issuer, isTest }: PrintedLicense): void {
    const { start, count } = this.#doc.bufferedPageRange();
    const style: TextStyle = { size: 8, color: GRAY };
    const y = PAGE_HEIGHT - 48;
    for (let i = start; i < start + count; i++) {
      this.#doc.switchToPage(i);
      this.#doc
        .lineWidth(0.5)
        .moveTo(MARGIN, y - 8)
        .lineTo(PAGE_WIDTH - MARGIN, y - 8)
        .stroke(RULE);
      const name = `${isTest ? 'Test license' : 'License'} ${number}`;
      const left = this.#setter.block(`${name} · ${issuer}`, WIDTH - 80, style);
      this.#setter.draw({ ...left, lines: left.lines.slice(0, 1) }, MARGIN, y);
      this.#setter.drawRight(`Page ${i - start + 1} of ${count}`, PAGE_WIDTH - MARGIN, y, style);
    }
  }

  /** Draws a text over the whole width, and moves below it. */
  #put(text: string, style: TextStyle): void {
    this.#y = this.#setter.draw(this.#setter.block(text, WIDTH, style), MARGIN, this.#y);
  }

  /** Draws columns beside each other, and moves below them. What does not fit on the page continues on the next one. */
  #drawColumns(columns: readonly { x: number; blocks: readonly TextBlock[] }[]): void {
    let rest = columns.map(({ x, blocks }) => ({ x, lines: blocks.flatMap(linesOf) }));
    for (;;) {
      const top = this.#y;
      rest = rest.map(({ x, lines }) => {
        let y = top;
        let drawn = 0;
        for (; drawn < lines.length && y + lines[drawn]!.height <= BOTTOM; drawn++) {
          y = this.#setter.draw(lines[drawn]!, x, y);
        }
        this.#y = Math.max(this.#y, y);
        return { x, lines: lines.slice(drawn) };
      });
      if (rest.every(({ lines }) => lines.length === 0)) return;
      this.#doc.addPage();
      this.#y = MARGIN;
    }
  }

  #rule(): void {
    this.#doc
      .lineWidth(0.5)
      .moveTo(MARGIN, this.#y)
      .lineTo(PAGE_WIDTH - MARGIN, this.#y)
      .stroke(RULE);
  }

  /** Adds a page if the rest of this one is too short, and a whole one is not. Returns whether it did. */
  #makeRoom(height: number): boolean {
    if (this.#y + height <= BOTTOM || height > BOTTOM - MARGIN) return false;
    this.#doc.addPage();
    this.#y = MARGIN;
    return true;
  }
}

function linesOf(block: TextBlock): TextBlock[] {
  return block.lines.map((line) => ({ ...block, lines: [line], height: block.lineHeight }));
}

function heightOf(blocks: readonly TextBlock[]): number {
  return blocks.reduce((sum, { height }) => sum + height, 0);
}
