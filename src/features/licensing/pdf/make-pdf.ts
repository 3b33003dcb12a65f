import { ACCENT, GRAY, HEAD, heightOf, MARGIN, PAGE_WIDTH, Pages, pdfOf, WIDTH } from './pages.ts';
import {
  type Detail,
  type PrintableLicense,
  type PrintedLicense,
  printedLicense,
  type TrackLine,
} from './printed-license.ts';
import type { TextBlock, TextStyle } from './text-block.ts';
import type { Typeface } from './typeface.ts';

const GAP = 24;

const WARNING = '#9b2226';

const LABEL: TextStyle = { size: 7.5, color: GRAY };
const VALUE: TextStyle = { size: 10.5 };
const NOTE: TextStyle = { size: 7.5, color: GRAY };

/** The columns of the list of tracks: where they begin, and how wide they are. */
const COLUMNS = { no: [0, 26], name: [26, 216], artists: [254, 136], isrc: [402, 81] } as const;

/**
 * Makes the PDF of a license, with its certificate attached. The bytes depend on the license alone, so that every node
 * makes the same ones.
 */
export function makePdf(license: PrintableLicense, typeface: Typeface): Promise<Buffer> {
  const printed = printedLicense(license, typeface);
  const { number, issuer: author } = printed;
  const at = new Date(printed.issuedAt);
  const about = { title: `License ${number}`, author, subject: 'Music license certificate', at };
  return pdfOf(about, (doc) => {
    new LicensePages(doc, typeface).draw(printed);
    doc.file(Buffer.from(license.certificate), {
      name: 'certificate.jws',
      type: 'application/jose',
      description: `Certificate of the license ${number}`,
      creationDate: at,
      modifiedDate: at,
    });
  });
}

class LicensePages extends Pages {
  draw(license: PrintedLicense): void {
    this.#drawHead(license);
    for (const pair of license.details) this.#drawDetails(pair);
    this.#drawTracks(license.tracks);
    this.#drawVerification(license.verification);
    const { number, issuer, isTest } = license;
    this.drawFeet(`${isTest ? 'Test license' : 'License'} ${number} · ${issuer}`);
  }

  #drawHead({ issuer, number, isTest }: PrintedLicense): void {
    this.doc.rect(0, 0, PAGE_WIDTH, 10).fill(isTest ? WARNING : ACCENT);
    this.put(issuer, { size: 9.5, color: GRAY });
    this.y += 8;
    this.put('License certificate', { size: 25, weight: 700, color: ACCENT });
    this.y += 2;
    this.put(number, { size: 13, weight: 700 });
    this.y += 12;
    if (isTest) this.#drawWarning();
    this.rule();
    this.y += 14;
  }

  #drawWarning(): void {
    const text = 'Test license. It was issued for tests of software and grants no rights.';
    const block = this.setter.block(text, WIDTH - 24, {
      size: 10,
      weight: 700,
      color: WARNING,
    });
    this.doc
      .lineWidth(1)
      .rect(MARGIN, this.y, WIDTH, block.height + 16)
      .stroke(WARNING);
    this.setter.draw(block, MARGIN + 12, this.y + 8);
    this.y += block.height + 32;
  }

  /** Draws details side by side. Pages break between pairs. */
  #drawDetails(pair: readonly Detail[]): void {
    const width = (WIDTH - GAP) / 2;
    const blocks = pair.map((detail) => this.#detailBlocks(detail, width));
    this.makeRoom(Math.max(...blocks.map(heightOf)));
    this.drawColumns(
      blocks.map((column, i) => ({ x: MARGIN + i * (width + GAP), blocks: column })),
    );
    this.y += 10;
  }

  #detailBlocks({ label, value, note }: Detail, width: number): TextBlock[] {
    return [
      this.setter.block(label, width, LABEL),
      this.setter.block(value, width, VALUE),
      ...(note === undefined ? [] : [this.setter.block(note, width, NOTE)]),
    ];
  }

  #drawTracks(tracks: readonly TrackLine[]): void {
    this.y += 6;
    this.makeRoom(80);
    this.put(tracks.length === 1 ? 'Licensed track' : `Licensed tracks (${tracks.length})`, {
      size: 12.5,
      weight: 700,
      color: ACCENT,
    });
    this.y += 6;
    this.#drawTrackHead();
    for (const [i, track] of tracks.entries()) this.#drawTrack(i + 1, track);
    this.y += 14;
  }

  #drawTrackHead(): void {
    const heads = { no: 'No.', name: 'Title', artists: 'Artists', isrc: 'ISRC' } as const;
    for (const [name, text] of Object.entries(heads) as [keyof typeof COLUMNS, string][]) {
      const [x, width] = COLUMNS[name];
      this.setter.draw(this.setter.block(text, width, HEAD), MARGIN + x, this.y);
    }
    this.y += 14;
    this.rule();
  }

  #drawTrack(no: number, { name, artists, isrc, notes }: TrackLine): void {
    const cell = (column: keyof typeof COLUMNS, text: string, style: TextStyle) =>
      this.setter.block(text, COLUMNS[column][1], style);
    const cells = {
      no: [cell('no', String(no), { size: 9, color: GRAY })],
      name: [
        cell('name', name, { size: 9.5, weight: 700 }),
        ...notes.map((note) => cell('name', note, NOTE)),
      ],
      artists: [cell('artists', artists, { size: 9 })],
      isrc: [cell('isrc', isrc, { size: 9 })],
    };
    const columns = Object.entries(cells).map(([column, blocks]) => {
      return { x: MARGIN + COLUMNS[column as keyof typeof COLUMNS][0], blocks };
    });
    this.drawRow(columns, () => this.#drawTrackHead());
  }

  #drawVerification(lines: readonly string[]): void {
    const blocks = lines.map((line) => this.setter.block(line, WIDTH - 28, { size: 8.5 }));
    const height = heightOf(blocks) + (blocks.length - 1) * 3 + 24;
    this.makeRoom(height + 26);
    this.put('Verification', { size: 12.5, weight: 700, color: ACCENT });
    this.y += 6;
    this.doc.rect(MARGIN, this.y, WIDTH, height).fill('#f2f5f7');
    this.doc.rect(MARGIN, this.y, 3, height).fill(ACCENT);
    let y = this.y + 12;
    for (const block of blocks) y = this.setter.draw(block, MARGIN + 16, y) + 3;
    this.y += height;
  }
}
