import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCursor, refuseLostPosition, ValidPositions, writeCursor } from './positions.ts';

const EPOCH = '00f1c2d3e4a5b6ff';
const bounds = { head: 20, headAt: 0, floor: 10, floorAt: 0, epoch: EPOCH };

describe('a cursor', () => {
  it('is read as it was written', () => {
    const epochs = fc.stringMatching(/^[0-9a-f]{16}$/);
    const numbers = fc.nat({ max: Number.MAX_SAFE_INTEGER });
    fc.assert(
      fc.property(epochs, numbers, (epoch, seq) => {
        const cursor = writeCursor({ epoch, seq });
        expect(cursor).toMatch(/^c1\.[A-Za-z0-9_-]{22}$/);
        expect(readCursor(cursor)).toEqual({ epoch, seq });
      }),
    );
  });

  it.each([
    '',
    'c1.',
    'c1.AAAB',
    writeCursor({ epoch: EPOCH, seq: 1 }).replace('c1.', 'c2.'),
    writeCursor({ epoch: EPOCH, seq: 1 }).slice(0, -1),
    `${writeCursor({ epoch: EPOCH, seq: 1 })}=`,
    ` ${writeCursor({ epoch: EPOCH, seq: 1 })}`,
    `c1.${Buffer.alloc(16, 0xff).toString('base64url')}`,
    `${writeCursor({ epoch: EPOCH, seq: 1 }).slice(0, -1)}R`,
  ])('has one text: %s', (text) => {
    expect(readCursor(text)).toBeUndefined();
  });
});

describe('a position', () => {
  it.each([10, 11, 20])('continues within the log: %s', (seq) => {
    refuseLostPosition({ epoch: EPOCH, seq }, bounds);
  });

  it.each([
    ['before the floor', { epoch: EPOCH, seq: 9 }],
    ['beyond the head', { epoch: EPOCH, seq: 21 }],
    ['of another epoch', { epoch: EPOCH.replace('f', '0'), seq: 15 }],
  ])('is gone %s', (_, position) => {
    expect(() => refuseLostPosition(position, bounds)).toThrow(
      expect.objectContaining({ kind: 'gone' }),
    );
  });
});

it('counts the epochs and floors, and not repeated ones', () => {
  const positions = new ValidPositions();
  const versions = [
    { epoch: null, floor: 0 },
    { epoch: 'a', floor: 0 },
    { epoch: 'a', floor: 0 },
    { epoch: 'a', floor: 7 },
    { epoch: 'b', floor: 7 },
    { epoch: 'b', floor: 7 },
  ].map((bounds) => {
    positions.observe(bounds);
    return positions.version;
  });
  expect(versions).toEqual([1, 2, 2, 3, 4, 4]);
});
