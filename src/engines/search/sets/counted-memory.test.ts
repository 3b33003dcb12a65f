import { expect, it } from 'vitest';
import { buildSegment } from '../build/segment-builder.ts';
import { runSteps } from '../query/steps.ts';
import { countMemory } from './counted-memory.ts';

it('counts the memory of a large segment once, and does not count that of a small segment', () => {
  const counted = () => process.memoryUsage().arrayBuffers;
  const large = runSteps(buildSegment([], 0));
  large.tracks.names = new Uint8Array(new SharedArrayBuffer(500_000_000));
  const small = runSteps(buildSegment([], 0));
  const before = counted();

  countMemory(small);
  expect(counted() - before).toBeLessThan(100_000_000);
  countMemory(large);
  countMemory(large);
  expect(counted() - before).toBeGreaterThan(400_000_000);
  expect(counted() - before).toBeLessThan(600_000_000);
});
