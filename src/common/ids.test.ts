import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isUuid, nameBasedId, newSortableId } from './ids.ts';

it('makes ids that sort by their time', () => {
  const times = [0, 1, 255, 256, 1_795_000_000_000, 1_795_000_000_001, 2 ** 48 - 1];
  const ids = times.map((time) => newSortableId(time));
  expect(ids.toSorted()).toEqual(ids);
  expect(ids[4]).toMatch(/^01a1ee56-5e00-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(ids.every(isUuid)).toBe(true);
  expect(newSortableId(0)).not.toBe(ids[0]);
});

it('derives an id from a name in the namespace of another id, as RFC 9562 does', () => {
  const dns = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
  expect(nameBasedId(dns, 'www.example.com')).toBe('2ed6657d-e927-568b-95e1-2665a8aea6a2');
});

it('recognizes the form of a UUID', () => {
  const form = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
  const id = '3D1A8F34-8b42-5f0c-a8a1-5b8f2f7c9d10';
  expect(isUuid(id)).toBe(true);
  // One character is replaced, left out or added at any place.
  const sign = fc.oneof(
    fc.constantFrom(
      ...'0123456789abcdefABCDEFgG-/:@`',
      '\n',
      '\0',
      'é',
      '\u0661',
      '\uff11',
      '\u{1f3b5}',
    ),
    fc.string({ maxLength: 2 }),
  );
  fc.assert(
    fc.property(fc.nat(36), fc.nat(1), sign, (at, removed, added) => {
      const text = id.slice(0, at) + added + id.slice(at + removed);
      expect(isUuid(text)).toBe(form.test(text));
    }),
    { numRuns: 2_000 },
  );
});
