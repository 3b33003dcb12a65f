import { type Amount, Amounts, QUALIFIERS } from './amounts.ts';
import type { Meaning, Understood, Vocabulary, VocabularyMatch } from './brief.ts';
import { Terms, type Word } from './words.ts';

/** What the words of a span are. Of equally long spans of a word, the first kind counts. */
const PRIORITIES = [
  'amount',
  'vocal',
  'instrumental',
  'sfx',
  'music',
  'negation',
  'join',
  'like',
  'by',
  'positive',
  'article',
  'function',
  'vocabulary',
  'artist',
  'voice',
  'filler',
] as const;
type SpanKind = (typeof PRIORITIES)[number];

/** Kinds of spans that are terms of `words.csv`. */
const TERM_KINDS = PRIORITIES.filter(
  (kind) => kind !== 'amount' && kind !== 'vocabulary' && kind !== 'artist',
);

interface Span {
  kind: SpanKind;
  from: number;
  length: number;
  amount?: Amount;
  match?: VocabularyMatch;
}

const NO_MEANING: Meaning = { filters: [], tags: [], artists: [] };

const AMOUNT_WEIGHT = 0.8;
/** Of a filter that is probably meant literally. */
const WORD_WEIGHT = 0.3;

/** The most words on each side of a filter that are read to find out whether it is a part of a scene. */
const MAX_AROUND = 8;

/** The negation that the walk is in. */
interface Negation {
  from: number;
  /** The last part that it reached. */
  last?: 'sound' | 'label' | 'unknown' | undefined;
  /** Whether it reached another part before that. */
  isLater?: boolean;
}

/** Reads one brief. */
export class BriefReader {
  readonly #brief: string;
  readonly #words: readonly Word[];
  readonly #terms: Terms;
  /** The span that begins at each word; undefined for an unknown word and inside a span. */
  readonly #spans: readonly (Span | undefined)[];
  readonly #understood: Understood[] = [];
  readonly #negatedUnknown: string[] = [];
  readonly #phrases: string[] = [];
  #negation: Negation | undefined;
  /** The first and the last word of the phrase that is being read, and whether one of its words is unknown. */
  #phrase: { from: number; to: number; isUnknown: boolean } | undefined;

  /** @param words those of the brief */
  constructor(brief: string, words: readonly Word[], vocabulary: Vocabulary, now: number) {
    this.#brief = brief;
    this.#words = words;
    this.#terms = new Terms(this.#words);
    this.#spans = chosen(this.#allSpans(vocabulary, now), this.#words.length);
  }

  read(): { understood: Understood[]; negatedUnknown: string[]; phrases: string[] } {
    let isJoined = false;
    for (let at = 0; at < this.#words.length; ) {
      const { divider } = this.#words[at]!;
      const isNewPart = divider === 'comma' || divider === 'stop';
      if (isNewPart) this.#endPhrase();
      if (divider === 'stop') this.#negation = undefined;
      const span = this.#spans[at];
      const kind = span?.kind;
      // `without regret into the sunrise`, but `without weird drums`
      const isNewPhrase = kind === 'function' || kind === 'article';
      if (isNewPhrase && this.#negation?.last === 'unknown') this.#negation = undefined;
      if (kind === 'join') isJoined = true;
      else if (!isNewPhrase && kind !== 'filler') {
        this.#take(at, span, { isComma: divider === 'comma', isJoined });
        isJoined = false;
      }
      at += span?.length ?? 1;
    }
    this.#endPhrase();
    return {
      understood: this.#understood,
      negatedUnknown: this.#negatedUnknown,
      phrases: this.#phrases,
    };
  }

  #allSpans(vocabulary: Vocabulary, now: number): Span[] {
    const words = this.#words;
    const amounts = new Amounts(words, this.#terms, now);
    const spans: Span[] = [];
    for (const from of words.keys()) {
      for (const { amount, length } of amounts.at(from)) {
        spans.push({ kind: 'amount', from, length, amount });
      }
      for (const kind of TERM_KINDS) {
        const length = this.#terms.length(from, kind);
        if (length > 0) spans.push({ kind, from, length });
      }
    }
    /** The words, with dividers between them, and the number of the word at each place. */
    const text: string[] = [];
    const numbers: number[] = [];
    for (const [number, { form, divider }] of words.entries()) {
      if (divider === 'comma' || divider === 'stop') text.push('');
      numbers[text.length] = number;
      text.push(form);
    }
    for (const match of vocabulary.matches(text)) {
      const from = numbers[match.from]!;
      const kind = match.meaning.artists.length > 0 ? 'artist' : 'vocabulary';
      const span = { kind, from, length: match.length, match } as const;
      if (kind === 'vocabulary' ? this.#hasContent(span) : this.#isArtist(span)) spans.push(span);
    }
    return spans;
  }

  /** Whether a span has a word that means something alone. */
  #hasContent({ from, length }: Span): boolean {
    return this.#contentOf(from, length) > 0;
  }

  #contentOf(from: number, length: number): number {
    let count = 0;
    for (let at = from; at < from + length; at++) {
      const isEmpty = ['function', 'article', 'join', 'negation', 'positive'].some(
        (kind) => this.#terms.length(at, kind) > 0,
      );
      if (!isEmpty) count++;
    }
    return count;
  }

  /** Artists count after `by` and `like`, or with two words that mean something, or with a capital. */
  #isArtist({ from, length }: Span): boolean {
    const isNamed = ['by', 'like'].some((kind) =>
      [1, 2, 3, 4].some((back) => this.#terms.length(from - back, kind) === back),
    );
    if (isNamed) return this.#hasContent({ kind: 'artist', from, length });
    const content = this.#contentOf(from, length);
    return length > 1 && (content > 1 || (content > 0 && /^\p{Lu}/u.test(this.#words[from]!.raw)));
  }

  /** @param span undefined for an unknown word */
  #take(
    at: number,
    span: Span | undefined,
    { isComma, isJoined }: { isComma: boolean; isJoined: boolean },
  ): void {
    if (span === undefined || span.kind === 'voice') {
      if (!this.#reaches(at, span === undefined ? 'unknown' : 'sound', isComma, isJoined)) {
        this.#extendPhrase(at, span?.length ?? 1, true);
      } else if (span === undefined) {
        this.#negatedUnknown.push(this.#textOf(at, 1));
      } else {
        this.#add(at, span, FLAGS.instrumental, true);
      }
      return;
    }
    switch (span.kind) {
      case 'negation':
        this.#negation = { from: at };
        this.#endPhrase();
        return;
      case 'like':
      case 'by':
      case 'positive':
        // `nothing like techno` stays negated.
        if (this.#negation?.last !== undefined || isComma || span.kind === 'positive') {
          this.#negation = undefined;
        }
        return;
      case 'amount':
        this.#takeAmount(at, span, isComma);
        return;
      case 'vocabulary':
      case 'artist':
        this.#takeMatch(at, span, isComma, isJoined);
        return;
      default: {
        // `no jazz music` excludes jazz, not music.
        const isItsNoun = this.#negation?.last !== undefined && !isJoined && !isComma;
        if (span.kind === 'music' && isItsNoun) return;
        const isNegated = this.#reaches(at, 'sound', isComma, isJoined);
        const flags = isNegated ? OPPOSITES : FLAGS;
        this.#add(at, span, flags[span.kind as Flag], isNegated);
      }
    }
  }

  #takeAmount(at: number, span: Span, isComma: boolean): void {
    const amount = span.amount!;
    const next = at + span.length;
    const isNew = amount.kind === 'release' && this.#terms.length(at, 'new') === span.length;
    // `a new beginning`
    const isInName = isNew && !this.#isDivided(next) && this.#spans[next] === undefined;
    if (isInName || (amount.kind === 'length' && this.#isInStory(at, next))) {
      this.#extendPhrase(at, span.length, true);
      return;
    }
    const isNegated = this.#negation !== undefined && this.#negation.last === undefined && !isComma;
    if (isNegated) {
      const opposite = complement(amount);
      if (opposite === undefined) this.#negatedUnknown.push(this.#textOf(at, span.length));
      else this.#add(at, span, { ...opposite, weight: 1, meaning: NO_MEANING }, true);
    } else {
      const weight = amount.hard ? 1 : AMOUNT_WEIGHT;
      this.#add(at, span, { ...amount, weight, meaning: NO_MEANING }, false);
    }
    this.#negation = undefined;
  }

  /** Whether a length is a time that something takes: `three seconds before it ends`, `they wait an hour`. */
  #isInStory(from: number, end: number): boolean {
    const isStated = QUALIFIERS.some((kind) => this.#terms.length(from, kind) > 0);
    if (isStated || /\d/.test(this.#textOf(from, end - from))) return false;
    const next = this.#spans[end]?.kind;
    const isBefore = next === undefined || next === 'function' || next === 'article';
    const isAfter = this.#spans[from - 1] === undefined && !this.#isInside(from - 1);
    return (!this.#isDivided(end) && isBefore) || (!this.#isDivided(from) && isAfter);
  }

  #takeMatch(at: number, span: Span, isComma: boolean, isJoined: boolean): void {
    const { meaning, weight } = span.match!;
    const isLabel = meaning.filters.length > 0;
    if (this.#reaches(at, isLabel ? 'label' : 'sound', isComma, isJoined)) {
      this.#add(at, span, { ...named(meaning), kind: 'not', weight: 1, hard: true }, true);
      return;
    }
    if (span.length === 1 && isLabel && weight === 1 && this.#isInScene(at)) {
      const isLiteral =
        this.#isLastOfPhrase(at) && meaning.filters.every(({ type }) => type === 'genre');
      this.#understood.push({
        text: this.#textOf(at, 1),
        kind: 'word',
        value: this.#words[at]!.form,
        weight: WORD_WEIGHT,
        hard: false,
        meaning: isLiteral ? NO_MEANING : meaning,
      });
      this.#extendPhrase(at, 1, false);
      return;
    }
    this.#add(at, span, { ...named(meaning), weight, hard: false }, false);
  }

  /**
   * Whether a filter is a part of a scene: in a phrase with `like a`, or behind an article and an unknown word, without
   * a word such as `song` that follows (`an empty house`, but not `a gritty rock song`). What is also a thing or place may be
   * behind any word that is no amount (`a dark house`, but not `a dark trailer`).
   */
  #isInScene(at: number): boolean {
    let isDescribed = false;
    const isThing = this.#terms.length(at, 'thing') > 0 && this.#isLastOfPhrase(at);
    let end = at + 1;
    while (end - at < MAX_AROUND && this.#spans[end]?.kind === 'vocabulary') end++;
    if (!this.#isDivided(end) && this.#terms.length(end, 'noun') > 0) return false;
    let article: number | undefined;
    for (let back = at - 1; back >= Math.max(0, at - MAX_AROUND); back--) {
      if (this.#isDivided(back + 1)) break;
      const isArticle = this.#terms.length(back, 'article') > 0;
      if (isArticle && this.#terms.length(back - 1, 'like') > 0) return true;
      if (article !== undefined) continue;
      if (isArticle) article = back;
      else if (this.#spans[back] === undefined && !this.#isInside(back)) isDescribed = true;
      else if (isThing && this.#spans[back]?.kind === 'vocabulary') isDescribed = true;
    }
    return article !== undefined && isDescribed;
  }

  /** Whether nothing unknown follows a word. */
  #isLastOfPhrase(at: number): boolean {
    return this.#isDivided(at + 1) || this.#spans[at + 1] !== undefined;
  }

  /** Whether a word is inside a span that begins before it. */
  #isInside(at: number): boolean {
    for (let from = at - 1; from >= Math.max(0, at - MAX_AROUND); from--) {
      const span = this.#spans[from];
      if (span !== undefined) return from + span.length > at;
    }
    return false;
  }

  /** Whether the negation reaches a part, which is then its last one; otherwise the negation ends. */
  #reaches(
    at: number,
    part: NonNullable<Negation['last']>,
    isComma: boolean,
    isJoined: boolean,
  ): boolean {
    const negation = this.#negation;
    if (negation === undefined) return false;
    const { last } = negation;
    // `No, I want jazz`; `no vocals, dark`, but not `no vocals, jazz or blues`; `no vocals dark`
    const isEnded =
      last === undefined
        ? isComma
        : !isJoined &&
          last === 'sound' &&
          !(isComma && (part !== 'label' || this.#isInAlternatives(at)));
    if (isEnded) {
      this.#negation = undefined;
      return false;
    }
    negation.isLater = last !== undefined;
    negation.last = part;
    return true;
  }

  /** Whether an `or` follows in the list that a part is in. */
  #isInAlternatives(from: number): boolean {
    for (let at = from; at < Math.min(from + MAX_AROUND, this.#words.length); ) {
      const span = this.#spans[at];
      const isOther = span !== undefined && ['negation', 'positive', 'amount'].includes(span.kind);
      if (isOther || (at > from && this.#words[at]!.divider === 'stop')) return false;
      if (span?.kind === 'join' && this.#terms.length(at, 'or') > 0) return true;
      at += span?.length ?? 1;
    }
    return false;
  }

  #add(
    at: number,
    span: Pick<Span, 'length'>,
    part: Omit<Understood, 'text'>,
    isNegated: boolean,
  ): void {
    this.#endPhrase();
    const negation = this.#negation;
    const from = isNegated && negation !== undefined && !negation.isLater ? negation.from : at;
    this.#understood.push({ text: this.#textOf(from, at + span.length - from), ...part });
  }

  #extendPhrase(at: number, length: number, isUnknown: boolean): void {
    this.#phrase ??= { from: at, to: at, isUnknown: false };
    this.#phrase.to = at + length - 1;
    this.#phrase.isUnknown ||= isUnknown;
  }

  #endPhrase(): void {
    const phrase = this.#phrase;
    this.#phrase = undefined;
    if (phrase?.isUnknown) {
      this.#phrases.push(this.#textOf(phrase.from, phrase.to - phrase.from + 1));
    }
  }

  /** Whether a divider stands before a word, or the brief ends there. */
  #isDivided(at: number): boolean {
    const word = this.#words[at];
    return word === undefined || word.divider === 'comma' || word.divider === 'stop';
  }

  #textOf(from: number, length: number): string {
    return this.#brief.slice(this.#words[from]!.start, this.#words[from + length - 1]!.end);
  }
}

/** The longest spans that do not overlap, by their first word. */
function chosen(spans: Span[], size: number): (Span | undefined)[] {
  const priority = new Map(PRIORITIES.map((kind, i) => [kind, i]));
  spans.sort(
    (a, b) =>
      b.length - a.length || priority.get(a.kind)! - priority.get(b.kind)! || a.from - b.from,
  );
  const isTaken = new Uint8Array(size);
  const found: (Span | undefined)[] = Array.from({ length: size });
  for (const span of spans) {
    const end = span.from + span.length;
    if (isTaken.subarray(span.from, end).includes(1)) continue;
    isTaken.fill(1, span.from, end);
    found[span.from] = span;
  }
  return found;
}

type Flag = 'vocal' | 'instrumental' | 'sfx' | 'music';
type Part = Omit<Understood, 'text'>;

function flag(kind: 'vocals' | 'type', value: string): Part {
  return { kind, value, weight: 1, hard: true, meaning: NO_MEANING };
}

const FLAGS: Readonly<Record<Flag, Part>> = {
  vocal: flag('vocals', 'vocal'),
  instrumental: flag('vocals', 'instrumental'),
  sfx: flag('type', 'sfx'),
  music: flag('type', 'music'),
};

/** What a negated flag means. */
const OPPOSITES: typeof FLAGS = {
  vocal: FLAGS.instrumental,
  instrumental: FLAGS.vocal,
  sfx: FLAGS.music,
  music: FLAGS.sfx,
};

function named(meaning: Meaning): Pick<Part, 'kind' | 'filter' | 'tag' | 'artist' | 'meaning'> {
  const [filter, tag, artist] = [meaning.filters[0], meaning.tags[0], meaning.artists[0]];
  return {
    kind: filter !== undefined ? 'filter' : tag !== undefined ? 'tag' : 'artist',
    ...(filter !== undefined && { filter: filter.slug }),
    ...(tag !== undefined && { tag }),
    ...(artist !== undefined && { artist }),
    meaning,
  };
}

/** The amounts that one excludes: `not over 100 bpm`, `not slow`. Undefined if they are no range. */
function complement(amount: Amount): Amount | undefined {
  const { kind, min, max, hard } = amount;
  if ((min === undefined) === (max === undefined)) return undefined;
  // The number of `not over 100 bpm` is allowed; what is called slow, or before a day, is not.
  const isApart = !hard || kind === 'release';
  const bound = (end: number | string, step: 1 | -1) => (isApart ? nextTo(end, step) : end);
  return {
    kind,
    ...(min === undefined ? { min: bound(max!, 1) } : { max: bound(min, -1) }),
    hard: true,
  };
}

/** The next tempo, in thousandths, or the next day. */
function nextTo(end: number | string, step: 1 | -1): number | string {
  if (typeof end === 'number') return Math.round(end * 1000 + step) / 1000;
  return new Date(Date.parse(end) + step * 86_400_000).toISOString().slice(0, 10);
}
