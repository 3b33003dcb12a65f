import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SpareBuffer, type TakenBytes } from './spare-buffer.ts';

it('never gives out bytes that someone has', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ size: fc.integer({ min: 1, max: 99 }), released: fc.nat(3) })),
      (uses) => {
        const buffer = new SpareBuffer();
        const taken: { one: TakenBytes; mark: number }[] = [];
        for (const [mark, { size, released }] of uses.entries()) {
          const one = buffer.take(size);
          expect(one.bytes).toHaveLength(size);
          one.bytes.fill(mark % 256);
          taken.push({ one, mark });
          for (const { one, mark } of taken) {
            expect(one.bytes.every((byte) => byte === mark % 256)).toBe(true);
          }
          for (const { one } of taken.splice(0, released)) one.release();
        }
      },
    ),
  );
});

it('gives out the same memory again, also for less', () => {
  const buffer = new SpareBuffer();
  const first = buffer.take(100);
  first.release();
  const second = buffer.take(60);
  expect(second.bytes.buffer).toBe(first.bytes.buffer);
  second.release();
  expect(buffer.take(100).bytes.buffer).toBe(first.bytes.buffer);
});

it('keeps the larger of two buffers, and none that is very large', () => {
  const buffer = new SpareBuffer();
  const [small, large, huge] = [buffer.take(10), buffer.take(100), buffer.take(1_000_000)];
  for (const one of [large, huge, small]) one.release();
  expect(buffer.take(10).bytes.buffer).toBe(large.bytes.buffer);
});
