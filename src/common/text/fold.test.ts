import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold } from './fold.ts';

/** Texts that combine code points of every kind that folding treats specially. */
const spicyText = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      ...'aBcéÉßẞıİſŁøÆœŋςΣᾳ’´`ʼʻ_-. \u0301\u0308\u3099\u200b\u200d\ufe0fがかｶﾞ夜กำ้हि\u093c٣๓½№…ｆﬁ한',
    ),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
});

describe('fold', () => {
  it.each([
    ['case', 'NIGHT Drive', 'night drive'],
    ['accents', 'Beyoncé Ångström Señor Đà Nẵng', 'beyonce angstrom senor da nang'],
    ['Greek and Cyrillic accents', 'Τῷ Ίδιος йёї', 'τω ιδιοσ иеі'],
    ['Hebrew points', 'שָׁלוֹם', 'שלום'],
    ['Arabic vowel signs and stretching', 'هَلْ سلـــام', 'هل سلام'],
    ['full case folding', 'Straße STRASSE ẞ ﬁn ſo ΣΑΣ σας', 'strasse strasse ss fin so σασ σασ'],
    ['the Turkish i', 'Işık İstanbul', 'isik istanbul'],
    ['letters that do not decompose', 'Łódź Øre Æther Œuvre Þór', 'lodz ore aether oeuvre thor'],
    ['full width', 'ＦＵＬＬ　ｗｉｄｔｈ', 'full width'],
    ['compatibility forms', '№ 5 ½ x² ｶﾞ', 'no 5 1 2 x2 ガ'],
    ['digits of other scripts', '٣ ३ ๓', '3 3 3'],
    [
      'apostrophes of all kinds',
      "Don't Don’t Don´t Don`t Donʼt Don＇t",
      'dont dont dont dont dont dont',
    ],
    ['punctuation and symbols', '  A-B_c.wav (feat. D) + E/F & "G"', 'a b c wav feat d e f g'],
    ['zero-width characters', 'so\u200bft so\u00adft so\ufeffft', 'soft soft soft'],
    ['keycaps and emoji', '1\ufe0f\u20e3 love ❤\ufe0f you', '1 love you'],
    ['texts without letters and digits', ' *** … ´ ʼ \u0301 ', ''],
  ])('normalizes %s', (_what, text, folded) => {
    expect(fold(text)).toBe(folded);
  });

  it.each([
    ['Japanese voicing', 'が', 'か'],
    ['Thai vowels', 'กำ', 'กา'],
    ['Thai tones', 'ใกล้', 'ใกล'],
    ['Indic vowels', 'हिन्दी', 'हन्द'],
    ['Hangul', '한', '하'],
  ])('keeps %s, which distinguish words', (_what, one, other) => {
    expect(fold(one)).not.toBe(fold(other));
  });

  it('returns the same for all Unicode forms of a text', () => {
    fc.assert(
      fc.property(spicyText, (text) => {
        for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD']) {
          expect(fold(text.normalize(form))).toBe(fold(text));
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('does not change a folded text, which has no upper-case letter', () => {
    fc.assert(
      fc.property(spicyText, (text) => {
        const folded = fold(text);
        expect(fold(folded)).toBe(folded);
        expect(folded).toMatch(
          /^$|^[\p{L}\p{N}][\p{L}\p{N}\p{M}]*( [\p{L}\p{N}][\p{L}\p{N}\p{M}]*)*$/u,
        );
      }),
      { numRuns: 2_000 },
    );
  });

  it('returns the same for both cases, except for the iota subscript, which counts as an accent', () => {
    fc.assert(
      fc.property(spicyText, (raw) => {
        const text = raw.normalize('NFD').replaceAll('\u0345', '');
        expect(fold(text.toUpperCase())).toBe(fold(text));
        expect(fold(text.toLowerCase())).toBe(fold(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('folds the parts between spaces independently', () => {
    fc.assert(
      fc.property(spicyText, spicyText, (a, b) => {
        // A space before a combining mark is its base character, not a separator.
        fc.pre(!/^\p{M}/u.test(b.normalize('NFKD')));
        expect(fold(`${a} ${b}`)).toBe([fold(a), fold(b)].filter((text) => text !== '').join(' '));
      }),
      { numRuns: 2_000 },
    );
  });

  it('returns the same for ASCII as without the fast path for ASCII', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), (text) => {
        // The Thai word prevents the fast path for ASCII.
        expect(fold(`${text} ไทย`)).toBe(`${fold(text)} ไทย`.trim());
      }),
      { numRuns: 2_000 },
    );
  });

  it('folds adversarial texts within the time limit', () => {
    expect(fold('\u0301'.repeat(50_000))).toBe('');
    expect(fold(`a${'\u0301\u0316'.repeat(25_000)}`)).toBe('a');
    expect(fold(' ´'.repeat(25_000))).toBe('');
    expect(fold('ﷺ'.repeat(1_000)).split(' ')).toHaveLength(3_001);
  });
});
