import { expect, it } from 'vitest';
import { Readiness } from './readiness.ts';

it('tells its listeners once that the node drains, also those that come later', () => {
  const readiness = new Readiness();
  const told: string[] = [];
  readiness.onDrain(() => told.push('first'));
  const remove = readiness.onDrain(() => told.push('removed'));
  readiness.serve();
  remove();
  expect(told).toEqual([]);
  readiness.drain();
  readiness.drain();
  expect(told).toEqual(['first']);
  readiness.onDrain(() => told.push('late'));
  expect(told).toEqual(['first', 'late']);
});
