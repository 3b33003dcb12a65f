import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentDisposition, mediaFileName } from './file-name.ts';

const nameOf = (name: string, artist: string | null = null) =>
  mediaFileName({ name, artist, slug: 'the-slug' }, 'mp3');

describe('mediaFileName', () => {
  it.each([
    ['Night Ferry', 'Mara Lindt', 'Mara Lindt - Night Ferry.mp3'],
    ['Night Ferry', null, 'Night Ferry.mp3'],
    ['Thunder', 'AC/DC', 'AC_DC - Thunder.mp3'],
    ['a\\b:c*d?e"f<g>h|i', null, 'a_b_c_d_e_f_g_h_i.mp3'],
    ['tab\tline\nnul\0', null, 'tab_line_nul_.mp3'],
    ['gpj.\u202eexe', null, 'gpj._exe.mp3'],
    ['..hidden. ', null, 'hidden.mp3'],
    ['../../etc/passwd', null, '_.._etc_passwd.mp3'],
    ['con', null, '_con.mp3'],
    ['NUL.tar', null, '_NUL.tar.mp3'],
    ['Console', null, 'Console.mp3'],
    ['CON', 'A', 'A - CON.mp3'],
    ['...', null, 'the-slug.mp3'],
    ['', 'Mara Lindt', 'Mara Lindt - the-slug.mp3'],
    ['Cafe\u0301', null, 'Café.mp3'],
    ['half \ud800 pair', null, 'half \ufffd pair.mp3'],
    ['Катюша', 'Хор', 'Хор - Катюша.mp3'],
  ])('names %j of %j %j', (name, artist, expected) => {
    expect(nameOf(name, artist)).toBe(expected);
  });

  it('adds the name of a part', () => {
    const title = { name: 'Night Ferry', artist: 'Mara Lindt', slug: 's' };
    expect(mediaFileName(title, 'wav', 'lead/vocals')).toBe(
      'Mara Lindt - Night Ferry (lead_vocals).wav',
    );
  });

  it('keeps the name of the track beside a long artist, and cuts between characters', () => {
    expect(nameOf('Night Ferry', 'x'.repeat(500))).toBe(`${'x'.repeat(60)} - Night Ferry.mp3`);
    const family = '👨‍👩‍👧‍👦';
    const name = nameOf(family.repeat(50));
    expect(name).toMatch(new RegExp(`^(?:${family})+\\.mp3$`));
  });

  it('returns a name that every file system accepts, whatever the texts are', () => {
    const texts = fc.string({ unit: 'binary', maxLength: 300 });
    fc.assert(
      fc.property(texts, fc.option(texts), fc.option(texts), (name, artist, part) => {
        const file = mediaFileName({ name, artist, slug: 'slug' }, 'flac', part ?? undefined);
        expect(file.length).toBeLessThanOrEqual(150);
        expect(Buffer.byteLength(file)).toBeLessThanOrEqual(240);
        expect(file).toMatch(/^[^\s.].*\.flac$/u);
        expect(file).not.toMatch(/[/\\:*?"<>|\p{Cc}\p{Bidi_Control}]/u);
        expect(file).not.toMatch(/^(?:con|prn|aux|nul|com\d|lpt\d)\./i);
      }),
    );
  });
});

describe('contentDisposition', () => {
  it.each([
    ['Mara - Ferry.mp3', 'filename="Mara - Ferry.mp3"; filename*=UTF-8\'\'Mara%20-%20Ferry.mp3'],
    ['Beyoncé.mp3', 'filename="Beyonce.mp3"; filename*=UTF-8\'\'Beyonc%C3%A9.mp3'],
    ['100%25.mp3', 'filename="100_25.mp3"; filename*=UTF-8\'\'100%2525.mp3'],
    ["it's (live).mp3", `filename="it's (live).mp3"; filename*=UTF-8''it%27s%20%28live%29.mp3`],
    ['东京.wav', `filename="DongJing.wav"; filename*=UTF-8''%E4%B8%9C%E4%BA%AC.wav`],
    ['\u{e000}.wav', `filename="file.wav"; filename*=UTF-8''%EE%80%80.wav`],
  ])('names %j in ASCII and in full', (name, expected) => {
    expect(contentDisposition('inline', name)).toBe(`inline; ${expected}`);
  });

  it('has nothing but ASCII, and one text in quotes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (name) => {
        const file = mediaFileName({ name, artist: null, slug: 's' }, 'mp3');
        expect(contentDisposition('attachment', file)).toMatch(
          /^attachment; filename="[ !#$&-~]{1,150}"; filename\*=UTF-8''[\w.~!$&+^`|%-]+$/,
        );
      }),
    );
  });
});
