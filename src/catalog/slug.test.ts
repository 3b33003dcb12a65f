import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isUuid, newId } from '../common/ids.ts';
import { chooseSlug, isSlug, numberedSlug, RESERVED_SLUGS, slugBase, slugify } from './slug.ts';

const anyName = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 120 }),
  fc.string({ unit: 'grapheme', maxLength: 120 }),
  fc.string({ maxLength: 250 }),
);

describe('slugify', () => {
  it.each([
    ['Night Drive', 'night-drive'],
    ['Beyoncé', 'beyonce'],
    ["Don't Stop", 'dont-stop'],
    ['Don’t Stop', 'dont-stop'],
    ['Слава', 'slava'],
    ['你好', 'nihao'],
    ['Straße № 1', 'strasse-no-1'],
    ['  --a__b--  ', 'a-b'],
    ['use_case / test', 'use-case-test'],
    ['*****', ''],
    ['…', ''],
    ['', ''],
    ['\u200b', ''],
  ])('makes %j into %j', (name, slug) => {
    expect(slugify(name)).toBe(slug);
  });

  it('gives a slug or nothing, of 80 characters at most, for any name', () => {
    fc.assert(
      fc.property(anyName, (name) => {
        const slug = slugify(name);
        expect(slug.length).toBeLessThanOrEqual(80);
        expect(slug).toMatch(/^(?:[a-z0-9]+(?:-[a-z0-9]+)*)?$/);
      }),
    );
  });

  it('leaves a slug as it is', () => {
    fc.assert(fc.property(anyName, (name) => slugify(slugify(name)) === slugify(name)));
  });

  it('does not depend on the Unicode form', () => {
    fc.assert(
      fc.property(anyName, (name) => {
        expect(slugify(name.normalize('NFD'))).toBe(slugify(name.normalize('NFC')));
      }),
    );
  });

  it('cuts a long name between words, and a long word within', () => {
    expect(slugify('word '.repeat(40))).toBe(Array(16).fill('word').join('-'));
    expect(slugify('a'.repeat(300))).toBe('a'.repeat(80));
    expect(slugify(`${'a'.repeat(79)} bb`)).toBe('a'.repeat(79));
  });
});

describe('slugBase', () => {
  it('falls back to the kind and eight hex digits of the id', () => {
    const id = '0A1B2C3D-0000-4000-8000-000000000000';
    expect(slugBase('track', '???', id)).toBe('track-0a1b2c3d');
    expect(slugBase('playlist', '', id)).toBe('playlist-0a1b2c3d');
    expect(slugBase('filter', '—', id)).toBe('filter-0a1b2c3d');
  });

  it('always has the form of a slug, but where the name itself is a UUID', () => {
    fc.assert(
      fc.property(anyName, fc.uuid(), (name, id) => {
        const base = slugBase('track', name, id);
        expect(isSlug(base) || isUuid(base)).toBe(true);
      }),
    );
  });
});

describe('chooseSlug', () => {
  const two = () => 2;

  it('never gives a reserved, UUID-shaped or taken slug, and always one of slug form', () => {
    const base = fc.oneof(
      anyName.map((name) => slugBase('track', name, newId())),
      fc.uuid(),
      fc.constantFrom(...RESERVED_SLUGS),
      fc.constant('a'.repeat(100)),
      fc.constant(`${'a'.repeat(97)}-bc`),
    );
    fc.assert(
      fc.property(base, fc.nat(30), (wanted, takenCount) => {
        const taken = new Set([wanted]);
        for (let n = 2; n < takenCount; n++) taken.add(numberedSlug(wanted, n));
        const { slug } = chooseSlug(wanted, (candidate) => taken.has(candidate), two);
        expect(isSlug(slug)).toBe(true);
        expect(taken.has(slug)).toBe(false);
        expect(RESERVED_SLUGS.has(slug)).toBe(false);
      }),
    );
  });

  it('gives the base itself where it is free', () => {
    expect(chooseSlug('intro', () => false, two)).toEqual({ slug: 'intro', nextNumber: undefined });
  });

  it('numbers reserved and UUID-shaped ones', () => {
    expect(chooseSlug('changes', () => false, two).slug).toBe('changes-2');
    const id = newId();
    expect(chooseSlug(id, () => false, two).slug).toBe(`${id}-2`);
  });

  it('asks each number once when the caller keeps its place', () => {
    const taken = new Set<string>();
    let next = 2;
    let asked = 0;
    for (let i = 0; i < 1_000; i++) {
      const chosen = chooseSlug(
        'intro',
        (slug) => {
          asked++;
          return taken.has(slug);
        },
        () => next,
      );
      taken.add(chosen.slug);
      next = chosen.nextNumber ?? next;
    }
    expect(taken.size).toBe(1_000);
    expect(taken.has('intro-1000')).toBe(true);
    expect(asked).toBeLessThan(2_001);
  });
});
