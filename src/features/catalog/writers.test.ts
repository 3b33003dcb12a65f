import { describe, expect, it } from 'vitest';
import { listChanges } from './store/track-lists.ts';
import { hasExcessShares, mergedWriters, type Writer } from './writers.ts';

function writer(name: string, values: Partial<Writer> = {}): Writer {
  return { name, role: 'COMPOSER', ipi: null, society: null, share: null, ...values };
}

describe('mergedWriters', () => {
  const stored = [
    writer('Ann', { ipi: '00000000001', share: 5_000 }),
    writer('Bob', { society: 'GEMA' }),
  ];

  it('keeps the stored values that the delivery lacks, in the order of the delivery', () => {
    const delivered = [writer('Bob', { share: 2_500 }), writer('Ann', { ipi: '00000000002' })];
    expect(mergedWriters(delivered, stored)).toEqual([
      writer('Bob', { society: 'GEMA', share: 2_500 }),
      writer('Ann', { ipi: '00000000002', share: 5_000 }),
    ]);
  });

  it('omits parties without values, and those that are no longer credited in this role', () => {
    const delivered = [writer('Cy'), writer('Ann', { role: 'LYRICIST' }), writer('Bob')];
    expect(mergedWriters(delivered, stored)).toEqual([stored[1]]);
    expect(mergedWriters([], stored)).toEqual([]);
  });

  it('takes each stored row once', () => {
    const twice = [writer('Ann', { share: 2_500 }), writer('Ann', { share: 1_000 })];
    expect(mergedWriters([writer('Ann'), writer('Ann')], twice)).toEqual(twice);
    expect(mergedWriters([writer('Ann')], twice)).toEqual([twice[0]]);
  });
});

describe('listChanges', () => {
  it.each<[string, Partial<Writer>]>([
    ['name', { name: 'Bob' }],
    ['role', { role: 'LYRICIST' }],
    ['ipi', { ipi: '00000000002' }],
    ['society', { society: 'PRS' }],
    ['share', { share: 0 }],
  ])('finds another %s', (_, difference) => {
    const before = writer('Ann', { ipi: '00000000001', society: 'GEMA', share: 5_000 });
    const after = { ...before, ...difference };
    const [given, stored] = [{ writers: [after] }, { writers: [before] }];
    expect(listChanges(given, stored)).toEqual({ before: stored, after: given });
    expect(listChanges(stored, stored)).toBeUndefined();
  });
});

describe('hasExcessShares', () => {
  it('adds up the shares of each side', () => {
    const half = { share: 5_000 };
    const publisher = { role: 'PUBLISHER', share: 10_000 };
    const whole = [writer('Ann', half), writer('Bob', { ...half, role: 'LYRICIST' })];
    expect(hasExcessShares([...whole, writer('C', publisher)])).toBe(false);
    expect(hasExcessShares([...whole, writer('D', { role: 'ARRANGER', share: 1 })])).toBe(true);
    expect(hasExcessShares([...whole, writer('D', { role: 'PRODUCER', share: 1 })])).toBe(false);
    expect(hasExcessShares([writer('C', publisher), writer('E', publisher)])).toBe(true);
  });
});
