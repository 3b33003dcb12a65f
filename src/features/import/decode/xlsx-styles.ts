import { type NumberForm, numberForm } from './xlsx-numbers.ts';
import type { XmlElement, XmlHandler } from './xml.ts';

/** Excel allows 65,490. */
const MAX_STYLES = 100_000;
/** Excel allows 255 characters. */
const MAX_CODE = 255;

/** The styles of cells, of which an import needs the number formats. */
export class WorkbookStyles implements XmlHandler {
  readonly #codes = new Map<number, string>();
  readonly #forms: NumberForm[] = [];
  #isCellFormats = false;

  /** Returns how a cell of this style shows a number. */
  formOf(style: number): NumberForm {
    return this.#forms[style] ?? { kind: 'number' };
  }

  open({ name, attributes }: XmlElement): void {
    const id = Number(attributes.numFmtId ?? 0);
    if (name === 'cellXfs') {
      this.#isCellFormats = true;
    } else if (name === 'numFmt' && this.#codes.size < MAX_STYLES) {
      this.#codes.set(id, (attributes.formatCode ?? '').slice(0, MAX_CODE));
    } else if (name === 'xf' && this.#isCellFormats && this.#forms.length < MAX_STYLES) {
      this.#forms.push(numberForm(id, this.#codes.get(id)));
    }
  }

  text(): void {}

  close(name: string): void {
    if (name === 'cellXfs') {
      this.#isCellFormats = false;
    }
  }
}
