import { describe, expect, it } from 'vitest';
import { decodedText, recognizedEncoding } from './tag-encodings.ts';

/** Texts as bytes in the encoding, each as one character. Node encodes only UTF-8, so these come from `iconv`. */
const FOREIGN: readonly (readonly [encoding: string, text: string, bytes: string])[] = [
  ['windows-1251', 'Катюша|Михаил', 'cae0f2fef8e07cccE8f5e0e8eb'],
  ['windows-1251', 'DJ Грув|Служебный', '444a20c3f0f3e27cd1ebf3e6e5e1edfbe9'],
  ['windows-1253', 'Μίκης|Ζορμπάς', 'ccdfeae7f27cc6eff1ecf0dcf2'],
  ['windows-1255', 'שלום עולם', 'f9ece5ed20f2e5eced'],
  ['shift_jis', '上を向いて|坂本九', '8fe382f08cfc82a282c47c8de2967b8be3'],
  ['gbk', '月亮代表|邓丽君', 'd4c2c1c1b4fab1ed7cb5cbc0f6befd'],
  ['euc-kr', '강남스타일|싸이', 'b0adb3b2bdbac5b8c0cf7cbdceC0cc'],
];

const latin1 = (hex: string) => Buffer.from(hex, 'hex').toString('latin1');
const western = (text: string) => Buffer.from(text, 'latin1').toString('latin1');

describe('the encoding of tags that claim to be Latin-1', () => {
  it.each(FOREIGN)('is recognized as %s: %s', (encoding, text, hex) => {
    const texts = latin1(hex).split('|');
    expect(recognizedEncoding(texts)).toBe(encoding);
    const read = { encoding: recognizedEncoding(texts), isNamed: false };
    expect(texts.map((one) => decodedText(one, read)).join('|')).toBe(text);
  });

  it.each([
    [['Björk', 'Jóga']],
    [['Motörhead', 'Mötley Crüe', 'Blue Öyster Cult', 'Queensrÿche', 'Für Elise', 'Größe']],
    [['Sigur Rós', 'Ágætis byrjun', 'Hafsól', 'Ný batterí', 'Þú']],
    [['À la carte', 'Voyage à Paris à midi', 'Hélène', 'Où es-tu', 'Ça ira']],
    [['¡Olé! ¿Qué?', 'España', 'Niño', 'Mañana', 'Canción', 'Corazón']],
    [['ÆØÅ ÆØÅ ÆØÅ']],
    [['plain', 'words only']],
  ])('is not recognized in Western names: %j', (names) => {
    const texts = names.map(western);
    expect(recognizedEncoding(texts)).toBe(undefined);
    const read = { encoding: undefined, isNamed: false };
    expect(texts.map((one) => decodedText(one, read))).toEqual(names);
  });

  it('is not recognized by fewer than eight bytes, or where two fit', () => {
    expect(recognizedEncoding([latin1('cae0f2fef8e0')])).toBe(undefined);
    // ΖΟΡΜΠΑΣ ΜΙΚΗΣ in capital letters, which are those of Cyrillic, too.
    expect(recognizedEncoding([latin1('c6cfd1ccd0c1d320ccc9cac7d3')])).toBe(undefined);
  });

  it('is UTF-8 for a text that is valid UTF-8, otherwise Windows-1252', () => {
    const read = { encoding: undefined, isNamed: false };
    expect(decodedText(Buffer.from('Motörhead').toString('latin1'), read)).toBe('Motörhead');
    expect(decodedText('don\x92t', read)).toBe('don’t');
  });

  it('is the one that the operator names', () => {
    const koi8 = { encoding: 'koi8-r' as const, isNamed: true };
    expect(decodedText(latin1('ebc1d4e0d3c1'), koi8)).toBe('КатЮса');
    expect(decodedText(latin1('d0bf'), { encoding: 'windows-1251', isNamed: true })).toBe('Рї');
  });
});
