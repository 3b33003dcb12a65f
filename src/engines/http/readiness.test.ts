import { expect, it } from 'vitest';
import { Readiness } from './readiness.ts';

it('signals once that the node drains', () => {
  const readiness = new Readiness();
  let told = 0;
  readiness.drained.addEventListener('abort', () => told++);
  readiness.serve();
  expect(told).toBe(0);
  readiness.drain();
  readiness.drain();
  expect(told).toBe(1);
});
