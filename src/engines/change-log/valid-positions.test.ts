import { expect, it } from 'vitest';
import { ValidPositions } from './valid-positions.ts';

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
