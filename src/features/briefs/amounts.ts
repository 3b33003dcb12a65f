import { keyName } from '../../engines/search/text/song-keys.ts';
import type { Understood } from './brief.ts';
import type { Terms, Word } from './words.ts';

/** What a tempo, a length, a key or a release says, without its text. */
export type Amount = Pick<Understood, 'kind' | 'min' | 'max' | 'value' | 'hard'>;

/** A term that says how a number is meant. */
export const QUALIFIERS = ['approx', 'under', 'over', 'between'] as const;
type Qualifier = (typeof QUALIFIERS)[number];

const TEMPOS = {
  slow: { max: 80 },
  moderate: { min: 81, max: 120 },
  // Tempos have at most three decimals.
  fast: { min: 120.001 },
} as const;

/** The first year that is a release without a word that says so. Earlier ones are rather eras. */
const LEAST_YEAR = 2000;

const DAY_MS = 86_400_000;

interface Found {
  amount: Amount;
  /** In words. */
  length: number;
}

/** Reads tempos, lengths, keys and releases. Every method reads at most a dozen words. */
export class Amounts {
  readonly #words: readonly Word[];
  readonly #terms: Terms;
  readonly #now: number;

  constructor(words: readonly Word[], terms: Terms, now: number) {
    this.#words = words;
    this.#terms = terms;
    this.#now = now;
  }

  /** Everything that begins at a word. */
  at(from: number): Found[] {
    const all = [this.#measured(from), this.#release(from), this.#key(from), this.#named(from)];
    return all.filter((found) => found !== undefined);
  }

  /** `slow`, `new` */
  #named(from: number): Found | undefined {
    const tempo = this.#terms.longest(from, ['slow', 'moderate', 'fast']);
    if (tempo !== undefined) {
      const [kind, length] = tempo;
      return { amount: { kind: 'tempo', ...TEMPOS[kind], hard: false }, length };
    }
    const length = this.#terms.length(from, 'new');
    if (length === 0) return undefined;
    const min = dayOf(this.#now - 365 * DAY_MS);
    return { amount: { kind: 'release', min, hard: true }, length };
  }

  /** `around 90 bpm`, `between one and two minutes`, `2:30` */
  #measured(from: number): Found | undefined {
    // `bpm: 90` is `90 bpm`.
    const first = from + this.#terms.length(from, 'bpm');
    if (first > from && this.#isDivided(first)) return undefined;
    const qualifier = this.#qualifier(first);
    const start = first + qualifier.length;
    const one = start > from && this.#isDivided(start) ? undefined : this.#number(start);
    if (one === undefined) return undefined;
    let end = start + one.length;
    const other = this.#secondNumber(end);
    let unit = other === undefined ? this.#unit(one, end) : this.#unit(other.number, other.end);
    const low = one.value;
    let high = one.value;
    if (other !== undefined && unit !== undefined) {
      high = other.number.value;
      end = other.end;
    } else {
      unit = this.#unit(one, end);
    }
    if (unit === undefined && first > from) unit = { name: 'bpm', length: 0, factor: 1 };
    if (unit === undefined) return undefined;
    end += unit.length;
    // `30-second spots`, `two minutes thirty`, `an hour and 30 minutes`
    const rest = this.#rest(unit.name, end);
    const values = [low, high].map((value) => value * unit.factor + (rest?.value ?? 0));
    const bounds = boundsOf(values as [number, number], qualifier.kind, unit.name);
    const kind = unit.name === 'bpm' ? 'tempo' : 'length';
    end += rest?.length ?? 0;
    // `an hour of study` does not say how long the music is, as `30 seconds of piano` does.
    const isPhrase = kind === 'length' && qualifier.kind === undefined && !this.#isDigit(start);
    if (isPhrase && this.#isOf(end)) return undefined;
    return { amount: { kind, ...bounds, hard: true }, length: end - from };
  }

  #isDigit(at: number): boolean {
    return /^\d/.test(this.#words[at]?.raw ?? '');
  }

  /** Whether a word says that another one belongs to what is before it. */
  #isOf(at: number): boolean {
    return !this.#isDivided(at) && /^(?:of|de|d)$/.test(this.#words[at]?.form ?? '');
  }

  #qualifier(at: number): { kind: Qualifier | undefined; length: number } {
    const [kind, length] = this.#terms.longest(at, QUALIFIERS) ?? [undefined, 0];
    if (kind !== 'between') return { kind, length };
    return { kind: undefined, length };
  }

  /** The second number of a range, and the word after it. */
  #secondNumber(at: number): { number: ReadNumber; end: number } | undefined {
    const length = this.#terms.length(at, 'to');
    const isRange = length > 0 || this.#words[at]?.divider === 'dash';
    const start = at + length;
    const number = isRange && !this.#isDivided(start) ? this.#number(start) : undefined;
    return number && { number, end: at + length + number.length };
  }

  #number(at: number): ReadNumber | undefined {
    const half = this.#terms.length(at, 'half');
    if (half > 0) return { value: 0.5, length: half, unit: '' };
    const word = this.#words[at];
    if (word === undefined) return undefined;
    const written = NUMBER.exec(word.raw);
    if (written === null) {
      const number = this.#terms.number(at);
      return number && { ...number, unit: '' };
    }
    const { whole = '', fraction, sign, unit = '', more } = written.groups!;
    if (sign === ':') {
      const value = Number(whole) * 60 + Number(fraction);
      return fraction!.length === 2 ? { value, length: 1, unit: 'clock' } : undefined;
    }
    const value = Number(fraction === undefined ? whole : `${whole}.${fraction}`);
    // `2m30`, `2min30s`, `1h30`
    if (more !== undefined) {
      const seconds = (value * 60 + Number(more)) * (/^h/i.test(unit) ? 60 : 1);
      return { value: seconds, length: 1, unit: 'clock' };
    }
    return { value, length: 1, unit: unit.toLowerCase() };
  }

  #unit(number: ReadNumber, at: number): Unit | undefined {
    if (number.unit === 'clock') return { name: 'second', length: 0, factor: 1 };
    if (number.unit === 'bpm') return { name: 'bpm', length: 0, factor: 1 };
    if (/^s(?:ec|ek)?s?$/.test(number.unit)) {
      // `80s` is a decade, not a length.
      const isDecade = number.unit === 's' && number.value % 10 === 0 && number.value >= 50;
      return isDecade && number.value !== 60 ? undefined : { name: 'second', length: 0, factor: 1 };
    }
    if (/^m(?:in)?s?$/.test(number.unit)) return { name: 'minute', length: 0, factor: 60 };
    if (/^h(?:rs?)?$/.test(number.unit)) return { name: 'hour', length: 0, factor: 3_600 };
    if (number.unit !== '' || this.#isDivided(at)) return undefined;
    const [name, length] = this.#terms.longest(at, UNITS) ?? [];
    if (name === undefined || length === undefined) return undefined;
    return { name, length, factor: FACTORS[name] };
  }

  /** The seconds after minutes, or the minutes after hours, in seconds. */
  #rest(whole: Unit['name'], at: number): { value: number; length: number } | undefined {
    if (whole !== 'minute' && whole !== 'hour') return undefined;
    const wanted = whole === 'minute' ? 'second' : 'minute';
    const joined = this.#terms.length(at, 'join');
    if (this.#isDivided(at + joined)) return undefined;
    const number = this.#number(at + joined);
    if (number === undefined || number.value >= 60) return undefined;
    const unit = this.#unit(number, at + joined + number.length);
    if (unit?.name !== wanted && (joined > 0 || unit !== undefined)) return undefined;
    const length = joined + number.length + (unit?.length ?? 0);
    return { value: number.value * FACTORS[wanted], length };
  }

  /** `after 2020`, `2015 to 2018`, `released in 2019` */
  #release(from: number): Found | undefined {
    const kinds = ['after', 'before', 'since', 'until', 'released', 'between', 'year'] as const;
    const term = this.#terms.longest(from, kinds);
    const start = from + (term?.[1] ?? 0);
    const first = this.#year(start);
    if (first === undefined) return undefined;
    const second = this.#secondYear(start + 1);
    // `Paris in 1940` and `a city in 2077` say when a scene is set.
    const isSaid = term !== undefined && term[0] !== 'between' && term[0] !== 'year';
    if (!isSaid && !(first >= LEAST_YEAR && (second?.year ?? first) <= this.#thisYear)) {
      return undefined;
    }
    const release = (min: string | undefined, max: string | undefined, length: number): Found => ({
      amount: {
        kind: 'release',
        ...(min !== undefined && { min }),
        ...(max !== undefined && { max }),
        hard: true,
      },
      length,
    });
    if (second !== undefined) {
      const end = second.at + 1 - from;
      return release(`${first}-01-01`, `${second.year}-12-31`, end);
    }
    const length = start + 1 - from;
    switch (term?.[0]) {
      case 'after':
        return release(`${first + 1}-01-01`, undefined, length);
      case 'since':
        return release(`${first}-01-01`, undefined, length);
      case 'before':
        return release(undefined, `${first - 1}-12-31`, length);
      case 'until':
        return release(undefined, `${first}-12-31`, length);
      case undefined:
        // A number alone may be part of a name.
        return this.#isDivided(from) && this.#isDivided(from + 1)
          ? release(`${first}-01-01`, `${first}-12-31`, 1)
          : undefined;
      default: {
        // `from 2019 on`
        const on = /^(?:on|onwards|onward|and later)$/.test(this.#words[start + 1]?.form ?? '');
        return on
          ? release(`${first}-01-01`, undefined, length + 1)
          : release(`${first}-01-01`, `${first}-12-31`, length);
      }
    }
  }

  get #thisYear(): number {
    return new Date(this.#now).getUTCFullYear();
  }

  #year(at: number): number | undefined {
    const { raw } = this.#words[at] ?? {};
    return raw !== undefined && /^(?:19|20)\d\d$/.test(raw) ? Number(raw) : undefined;
  }

  #secondYear(at: number): { year: number; at: number } | undefined {
    const length = this.#terms.length(at, 'to');
    const isRange = length > 0 || this.#words[at]?.divider === 'dash';
    const year = isRange ? this.#year(at + length) : undefined;
    return year === undefined ? undefined : { year, at: at + length };
  }

  /** `in A minor`, `F#m`, `8A`; a small `a` only where it is no article. */
  #key(from: number): Found | undefined {
    const named = this.#terms.length(from, 'key');
    for (const length of [3, 2, 1]) {
      const words = this.#words.slice(from + named, from + named + length);
      if (words.length < length || words.slice(1).some((word) => isDivision(word))) continue;
      const text = words.map(({ raw }) => raw).join(' ');
      if (!KEY_END.test(text)) continue;
      const isCertain = KEY_SIGNS.test(text) || (length > 1 && /^[A-H]/.test(text));
      const isWhole = this.#isDivided(from + named + length);
      if (!isCertain && !(isWhole && length > 1)) continue;
      const value = keyName(text);
      if (value === undefined) continue;
      return { amount: { kind: 'key', value, hard: false }, length: named + length };
    }
    return undefined;
  }

  /** Whether a divider stands before a word, or the brief ends there. */
  #isDivided(at: number): boolean {
    const word = this.#words[at];
    return word === undefined || isDivision(word);
  }
}

function isDivision({ divider }: Word): boolean {
  return divider === 'comma' || divider === 'stop';
}

/** What no other word looks like: `F#`, `Am`, `8A`, `a moll`, `la mineur`. */
const KEY_SIGNS =
  /[#♯♭]|^[A-H]b?m$|^\d\d?[AB]$|(?:[Mm]oll|[Dd]ur|mineur|majeur|menor|mayor|minore|maggiore)$/;

/** How the names of keys end. A note without a mode is probably a word: `E`, `a flat`, `la`. */
const KEY_END = /[#♯♭m]$|^\d\d?[AB]$|(?:min|maj|minor|major|moll|dur|eur|menor|mayor|ore)$/i;

const NUMBER =
  /^(?<whole>\d+)(?:(?<sign>[.,:])(?<fraction>\d+))?(?<unit>\p{L}+)?(?<more>\d{1,2})?\p{L}*$/u;

interface ReadNumber {
  value: number;
  /** In words. */
  length: number;
  /** What is written without a space behind it; `clock` if the value is in seconds. */
  unit: string;
}

/** What a number of a unit is multiplied with. */
const FACTORS = { bpm: 1, second: 1, minute: 60, hour: 3_600 } as const;
const UNITS = ['bpm', 'second', 'minute', 'hour'] as const;

interface Unit {
  name: (typeof UNITS)[number];
  /** In words. */
  length: number;
  /** What a number is multiplied with. */
  factor: number;
}

function boundsOf(
  [low, high]: [number, number],
  qualifier: Qualifier | undefined,
  unit: Unit['name'],
): { min?: number; max?: number } {
  const [least, most] = low <= high ? [low, high] : [high, low];
  if (qualifier === 'under') return { max: rounded(most) };
  if (qualifier === 'over') return { min: rounded(least) };
  if (least < most) return { min: rounded(least), max: rounded(most) };
  const tenth = least / 10;
  const around = qualifier === 'approx' ? tenth : tenth / 2;
  const spread = unit === 'bpm' ? around : Math.max(2, tenth);
  return { min: rounded(Math.max(0, least - spread)), max: rounded(most + spread) };
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
