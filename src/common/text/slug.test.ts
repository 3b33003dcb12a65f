import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isUuid, newId } from '../ids.ts';
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
  ])('converts %j to %j', (name, slug) => {
    expect(slugify(name)).toBe(slug);
  });

  it('returns a slug of at most 80 characters, or an empty text, for any name', () => {
    fc.assert(
      fc.property(anyName, (name) => {
        const slug = slugify(name);
        expect(slug.length).toBeLessThanOrEqual(80);
        expect(slug).toMatch(/^(?:[a-z0-9]+(?:-[a-z0-9]+)*)?$/);
      }),
    );
  });

  it('does not change a slug', () => {
    fc.assert(fc.property(anyName, (name) => slugify(slugify(name)) === slugify(name)));
  });

  it('does not depend on the Unicode form', () => {
    fc.assert(
      fc.property(anyName, (name) => {
        expect(slugify(name.normalize('NFD'))).toBe(slugify(name.normalize('NFC')));
      }),
    );
  });

  it('truncates a long name between words, and a long word inside', () => {
    expect(slugify('word '.repeat(40))).toBe(Array(16).fill('word').join('-'));
    expect(slugify('a'.repeat(300))).toBe('a'.repeat(80));
    expect(slugify(`${'a'.repeat(79)} bb`)).toBe('a'.repeat(79));
  });
});

describe('slugBase', () => {
  it('is the kind and eight hex digits of the id if the name has no letters or digits', () => {
    const id = '0A1B2C3D-0000-4000-8000-000000000000';
    expect(slugBase('track', '???', id)).toBe('track-0a1b2c3d');
    expect(slugBase('playlist', '', id)).toBe('playlist-0a1b2c3d');
    expect(slugBase('filter', '—', id)).toBe('filter-0a1b2c3d');
  });

  it('has the form of a slug unless the name is a UUID', () => {
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

  it('returns a valid slug that is not reserved, not taken and not a UUID', () => {
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

  it('returns the base if it is free', () => {
    expect(chooseSlug('intro', () => false, two)).toEqual({ slug: 'intro', nextNumber: undefined });
  });

  it('reserves each word that a path of the API has in the place of a slug', () => {
    const document = new URL('../../../docs/reference/openapi.json', import.meta.url);
    const paths = Object.keys(JSON.parse(readFileSync(document, 'utf8')).paths);
    const words = paths.flatMap(
      (path) => /^\/v1\/(?:tracks|playlists)\/([^/{]+)$/.exec(path)?.[1] ?? [],
    );
    expect(words).toContain('snapshot');
    expect([...RESERVED_SLUGS]).toEqual(expect.arrayContaining(words));
  });

  it('adds a number to a reserved slug and to a UUID', () => {
    expect(chooseSlug('changes', () => false, two).slug).toBe('changes-2');
    const id = newId();
    expect(chooseSlug(id, () => false, two).slug).toBe(`${id}-2`);
  });

  it('checks each number once if the caller stores the next number', () => {
    const taken = new Set<string>();
    let next = 2;
    let checks = 0;
    for (let i = 0; i < 1_000; i++) {
      const chosen = chooseSlug(
        'intro',
        (slug) => {
          checks++;
          return taken.has(slug);
        },
        () => next,
      );
      taken.add(chosen.slug);
      next = chosen.nextNumber ?? next;
    }
    expect(taken.size).toBe(1_000);
    expect(taken.has('intro-1000')).toBe(true);
    expect(checks).toBeLessThan(2_001);
  });
});
