import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold, searchForm, searchForms, searchWords, unfinishedForm } from './search-form.ts';

/** Texts that combine all characters that search forms treat specially. */
const spicyText = fc.string({
  unit: fc.oneof(
    fc.constantFrom(..."ab'’´` ́カがｶﾞーあヷﾟ하한핞핚과닭ㅎㄱㅏㅘㄳᄒ ᆫก่้์ำ໋é1"),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
  ),
});
const RUNS = { numRuns: 2_000 };

describe('searchForm', () => {
  it.each([
    ['hiragana and katakana', 'サクラ', 'さくら'],
    ['half-width katakana', 'ｶﾞｰﾙ', 'がーる'],
    ['the voicing marks of both', 'ヷヴヾ', 'わ\u3099ゔゞ'],
    ['a long vowel with a mark or a letter', 'ラーメン', 'らあめん'],
    ['long vowels of all kinds', 'カーキークーケーコーャー', 'かあきいくうけえこおゃあ'],
    ['a doubled mark', 'わーーい', 'わああい'],
    ['Thai tone marks', 'น้ำ ใกล้', 'นำ ใกล'],
    ['a Thai silencing mark', 'จันทร์', 'จันทร'],
    ['Lao tone marks', 'ບ້ານ', 'ບານ'],
    ['syllables and the letters that they consist of', '한글', 'ㅎㅏᆫㄱㅡᆯ'],
  ])('is the same for %s', (_what, one, other) => {
    expect(searchForm(one)).toBe(searchForm(other));
  });

  it.each([
    ['voiced kana', 'が', 'か'],
    ['small kana', 'っ', 'つ'],
    ['a long vowel and a short one', 'ビール', 'ビル'],
    ['Thai vowels', 'กำ', 'กา'],
    ['Hangul vowels', '하', '허'],
  ])('differs for %s', (_what, one, other) => {
    expect(searchForm(one)).not.toBe(searchForm(other));
  });

  it('keeps a long-vowel mark without a vowel before it', () => {
    expect(searchForm('ンー ー aー')).toBe('んー ー aー');
  });

  it('is the folded text if it contains no kana, Hangul or Thai', () => {
    for (const text of ['Beyoncé', 'Straße №5', '夜', 'Ой, у лузі', '']) {
      expect(searchForm(text)).toBe(fold(text));
    }
  });

  it('of a syllable begins with the form of each of its incomplete states', () => {
    for (const typing of ['ㄷ 다 달 닭', 'ㅇ 우 웨 웬', 'ㅎ 하 한 한ㄱ 한그 한글', 'ㄱ 고 과 곽']) {
      const states = typing.split(' ');
      const complete = searchForm(states.at(-1)!);
      for (const state of states) expect(complete.startsWith(searchForm(state))).toBe(true);
    }
  });

  it('has the sort order of Hangul syllables', () => {
    const syllables = Array.from({ length: 11_172 }, (_, i) => String.fromCharCode(0xac00 + i));
    const forms = syllables.map((one) => searchForm(one));
    expect(forms.toSorted()).toEqual(forms);
    expect(new Set(forms).size).toBe(forms.length);
    for (const next of ['가', '나', '히']) {
      const pairs = forms.map((form) => form + searchForm(next));
      expect(pairs.toSorted()).toEqual(pairs);
    }
  });

  it('composes a letter and a mark if a tone mark between them is removed', () => {
    expect(searchForm('カ\u0e4cﾞ')).toBe('が');
  });

  it('is the same for all Unicode forms, and is its own search form', () => {
    fc.assert(
      fc.property(spicyText, (text) => {
        const form = searchForm(text);
        for (const unicode of ['NFC', 'NFD', 'NFKC', 'NFKD']) {
          expect(searchForms(text.normalize(unicode))).toEqual(searchForms(text));
        }
        expect(searchForm(form)).toBe(form);
      }),
      RUNS,
    );
  });
});

describe('searchForms', () => {
  it.each([
    ["Don't Stop", ['dont stop', 'don t stop']],
    ["Jeux d'enfants", ['jeux denfants', 'jeux d enfants']],
    ["Rock'n'Roll", ['rocknroll', 'rock n roll']],
    ["Rock 'n' Roll", ['rock n roll']],
    ["Dancin'", ['dancin']],
    ['`Round´ Midnight’', ['round midnight']],
    ['L´été', ['lete', 'l ete']],
    ['Night Drive', ['night drive']],
    ["Don't 한", ['dont \u1112\u1161\u11ab', 'don t \u1112\u1161\u11ab']],
    ['***', ['']],
  ])('of %j are %j', (name, forms) => {
    expect(searchForms(name)).toEqual(forms);
  });

  it('split at every kind of apostrophe', () => {
    for (const sign of "'`´‘’‛′‵ʹʻʼʽʾʿˈ՚׳＇") {
      expect(searchForms(`L${sign}Amour`)).toEqual(['lamour', 'l amour']);
    }
  });

  it('have the same letters, and the joined form is the first', () => {
    fc.assert(
      fc.property(spicyText, (text) => {
        const [glued, split = glued] = searchForms(text);
        expect(glued).toBe(searchForm(text));
        expect(split).not.toMatch(/^ | {2}| $/);
        expect(searchWords(text)).toEqual(
          [...new Set([glued, split])].flatMap((form) => form.match(/\S+/g) ?? []),
        );
      }),
      RUNS,
    );
  });
});

describe('unfinishedForm', () => {
  it.each([
    ['한', '하나'],
    ['닭', '달가'],
    ['값', '갑시'],
    ['앆', '아까'],
    ['있', '이써'],
    ['한글', '한그래'],
  ])('of %s begins %s', (text, name) => {
    expect(searchForm(name).startsWith(unfinishedForm(searchForm(text))!)).toBe(true);
    expect(searchForm(name).startsWith(searchForm(text))).toBe(false);
  });

  it('exists only if the text ends in a final consonant', () => {
    for (const text of ['하', 'ㅎ', 'night', '夜', 'さ', '']) {
      expect(unfinishedForm(searchForm(text))).toBeUndefined();
    }
  });
});

/** Texts that combine code points of every kind that folding treats specially. */
const foldedText = fc.string({
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
      fc.property(foldedText, (text) => {
        for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD']) {
          expect(fold(text.normalize(form))).toBe(fold(text));
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('does not change a folded text, which has no upper-case letter', () => {
    fc.assert(
      fc.property(foldedText, (text) => {
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
      fc.property(foldedText, (raw) => {
        const text = raw.normalize('NFD').replaceAll('\u0345', '');
        expect(fold(text.toUpperCase())).toBe(fold(text));
        expect(fold(text.toLowerCase())).toBe(fold(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('folds the parts between spaces independently', () => {
    fc.assert(
      fc.property(foldedText, foldedText, (a, b) => {
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
