import type { XmlElement, XmlHandler } from './xml.ts';

/** How the number of a cell is shown, as far as it changes what the number means. */
export type NumberForm =
  | { kind: 'number' }
  | { kind: 'percent' }
  /** Digits with leading zeros, as in the format `000000`. */
  | { kind: 'digits'; count: number }
  | { kind: 'date'; hasTime: boolean }
  /** `hasSeconds`: shows seconds. `unit`: the largest unit, which is not cut at 24 or 60. */
  | { kind: 'time'; hasSeconds: boolean; unit: 'h' | 'm' | 's' };

const NUMBER: NumberForm = { kind: 'number' };
const DATE: NumberForm = { kind: 'date', hasTime: false };

const formed = (form: NumberForm, ...ids: number[]) => ids.map((id) => [id, form] as const);

/** The forms of the formats that every workbook has, by their number. */
const BUILT_IN: ReadonlyMap<number, NumberForm> = new Map<number, NumberForm>([
  ...formed({ kind: 'percent' }, 9, 10),
  ...formed(DATE, 14, 15, 16, 17),
  ...formed({ kind: 'time', hasSeconds: false, unit: 'h' }, 18, 20, 32),
  ...formed({ kind: 'time', hasSeconds: true, unit: 'h' }, 19, 21, 33, 46),
  ...formed({ kind: 'date', hasTime: true }, 22),
  ...formed({ kind: 'time', hasSeconds: true, unit: 'm' }, 45, 47),
  // Dates of East Asian editions.
  ...formed(DATE, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 55, 56, 57, 58),
]);

function formOfCode(code: string): NumberForm {
  // Without quoted and escaped characters, and of several sections the first.
  const section = code
    .replace(/"[^"]*"?|\\.|[_*]./g, '')
    .split(';', 1)[0]!
    .toLowerCase();
  // Colors, conditions and locales are in brackets, and so are units without a limit.
  const elapsed = /\[(h+|m+|s+)\]/.exec(section)?.[1]?.[0] as 'h' | 'm' | 's' | undefined;
  const bare = section
    .replace(/\[(h+|m+|s+)\]/g, '$1')
    .replace(/\[[^\]]*\]?/g, '')
    .replace(/am\/pm|a\/p/g, '')
    .trim();
  if (bare === 'general' || bare === '@') {
    return NUMBER;
  }
  if (/^0{2,}$/.test(bare)) {
    return { kind: 'digits', count: bare.length };
  }
  if (/[0#?]/.test(bare.replace(/s\.0+/g, 's'))) {
    return bare.includes('%') ? { kind: 'percent' } : NUMBER;
  }
  const hasTime = /[hs]/.test(bare);
  if (/[yd]|mmm/.test(bare) || (!hasTime && elapsed === undefined && /[me]/.test(bare))) {
    return { kind: 'date', hasTime };
  }
  if (hasTime || elapsed !== undefined) {
    const unit = elapsed ?? (bare.includes('h') ? 'h' : bare.includes('m') ? 'm' : 's');
    return { kind: 'time', hasSeconds: bare.includes('s'), unit };
  }
  return NUMBER;
}

const DAY_SECONDS = 86_400;
/** 31 December 9999. */
const MAX_SERIAL = 2_958_466;
const EPOCH_1900 = Date.UTC(1899, 11, 30);
const EPOCH_1904 = Date.UTC(1904, 0, 1);

/**
 * Returns the text of a numeric cell. A date is in ISO form, a time or a duration a clock time
 * (`3:04`, `0:03:04`), 25 % is `25`, and any other number has the 15 digits that Excel shows,
 * without an exponent.
 */
export function numberText(raw: string, form: NumberForm, is1904: boolean): string {
  const value = raw.trim() === '' ? Number.NaN : Number(raw);
  if (!Number.isFinite(value)) {
    return raw;
  }
  switch (form.kind) {
    case 'percent':
      return plainNumber(value * 100);
    case 'digits':
      return Number.isInteger(value) && value >= 0
        ? plainNumber(value).padStart(form.count, '0')
        : plainNumber(value);
    case 'date':
      if (value < 0 || value >= MAX_SERIAL) {
        return plainNumber(value);
      }
      if (value < 1 && !is1904) {
        return form.hasTime ? clock(value, true, 'h') : plainNumber(value);
      }
      return date(value, form, is1904);
    case 'time':
      return value < 0 || value >= MAX_SERIAL
        ? plainNumber(value)
        : clock(value, form.hasSeconds, form.unit);
    case 'number':
      return plainNumber(value);
  }
}

function plainNumber(value: number): string {
  const shown = Number(value.toPrecision(15));
  if (Math.abs(shown) >= 1e21 || Number.isInteger(shown)) {
    return Math.abs(shown) < 1e21 ? shown.toFixed(0) : BigInt(shown).toString();
  }
  const text = String(shown);
  return text.includes('e') ? shown.toFixed(20).replace(/0+$/, '').replace(/\.$/, '') : text;
}

function date(serial: number, { hasTime }: { hasTime: boolean }, is1904: boolean): string {
  // Excel counts 29 February 1900, which did not exist.
  const days = !is1904 && serial < 60 ? serial + 1 : serial;
  const seconds = Math.round(days * DAY_SECONDS);
  const epoch = is1904 ? EPOCH_1904 : EPOCH_1900;
  if (!hasTime || seconds % DAY_SECONDS === 0) {
    const whole = hasTime ? seconds / DAY_SECONDS : Math.floor(days);
    return new Date(epoch + whole * DAY_SECONDS * 1000).toISOString().slice(0, 10);
  }
  return new Date(epoch + seconds * 1000).toISOString().replace('.000Z', 'Z');
}

/** `3:04` typed into Excel is three hours and four minutes, and means three minutes of music. */
function clock(days: number, hasSeconds: boolean, unit: 'h' | 'm' | 's'): string {
  const milliseconds = Math.round(days * DAY_SECONDS * 1000);
  const seconds = milliseconds / 1000;
  if (unit === 's') {
    return plainNumber(seconds);
  }
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const rest = Number((seconds % 60).toFixed(3));
  if (!hasSeconds && rest === 0) {
    return `${hours}:${padded(minutes)}`;
  }
  return unit === 'm' && hours === 0
    ? `${minutes}:${padded(rest)}`
    : `${hours}:${padded(minutes)}:${padded(rest)}`;
}

function padded(number: number): string {
  return number < 10 ? `0${number}` : `${number}`;
}

/** Returns the text of a cell that holds a date in ISO form: `2026-11-02T00:00:00` is a date. */
export function isoText(raw: string): string {
  const [, day, time, zone] =
    /^(\d{4}-\d\d-\d\d)(?:T([\d:.]+)(Z|[+-]\d\d:\d\d)?)?$/.exec(raw) ?? [];
  if (day === undefined) {
    return raw;
  }
  return time === undefined || /^[0:.]+$/.test(time) ? day : `${day}T${time}${zone ?? 'Z'}`;
}

/** Excel allows 65,490. */
const MAX_STYLES = 100_000;
/** Excel allows 255 characters. */
const MAX_CODE = 255;

/** The styles of cells, of which an import needs the number formats. */
export class WorkbookStyles implements XmlHandler {
  readonly #codes = new Map<number, string>();
  readonly #forms: NumberForm[] = [];
  #isCellFormats = false;

  formOf(style: number): NumberForm {
    return this.#forms[style] ?? NUMBER;
  }

  open({ name, attributes }: XmlElement): void {
    const id = Number(attributes.numFmtId ?? 0);
    if (name === 'cellXfs') {
      this.#isCellFormats = true;
    } else if (name === 'numFmt' && this.#codes.size < MAX_STYLES) {
      this.#codes.set(id, (attributes.formatCode ?? '').slice(0, MAX_CODE));
    } else if (name === 'xf' && this.#isCellFormats && this.#forms.length < MAX_STYLES) {
      const code = this.#codes.get(id);
      this.#forms.push(code === undefined ? (BUILT_IN.get(id) ?? NUMBER) : formOfCode(code));
    }
  }

  close(name: string): void {
    if (name === 'cellXfs') {
      this.#isCellFormats = false;
    }
  }
}
