import { searchForm } from '../../common/text/search-form.ts';
import type { Vocabulary } from './brief.ts';
import { isTerm, type Word } from './words.ts';

/** The fewest letters of the first part of a compound. */
const LEAST = 3;

/** Parts German compounds, such as `Klaviermusik`, whose first part the vocabulary has, and not the whole. */
export function withParts(words: readonly Word[], vocabulary: Vocabulary): readonly Word[] {
  const parted = new Map<Word, [Word, Word]>();
  for (const word of words) {
    const parts = partsOf(word);
    if (parts !== undefined) parted.set(word, parts);
  }
  if (parted.size === 0) return words;
  const text = [...parted].flatMap(([{ form }, [first]]) => [form, '', first.form, '']);
  const known = new Set(
    vocabulary
      .matches(text)
      .filter(({ meaning: { filters, tags } }) => filters.length + tags.length > 0)
      .map(({ from }) => from),
  );
  for (const [i, word] of [...parted.keys()].entries()) {
    if (known.has(4 * i) || !known.has(4 * i + 2)) parted.delete(word);
  }
  return words.flatMap((word) => parted.get(word) ?? [word]);
}

function partsOf(word: Word): [Word, Word] | undefined {
  const { raw, form, start, end } = word;
  if (isTerm(form)) return undefined;
  for (let length = form.length - LEAST; length >= LEAST; length--) {
    const head = form.slice(-length);
    const cut = raw.length - length;
    if (!isTerm(head, 'head') || searchForm(raw.slice(cut)) !== head) continue;
    const first = { raw: raw.slice(0, cut), form: form.slice(0, -length), end: start + cut };
    const second: Word = {
      raw: raw.slice(cut),
      form: head,
      start: first.end,
      end,
      divider: 'none',
    };
    return [{ ...word, ...first }, second];
  }
  return undefined;
}
