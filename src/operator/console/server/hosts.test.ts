import { expect, it } from 'vitest';
import { isLoopback } from './hosts.ts';

it.each([
  ['127.0.0.1', true],
  ['127.8.0.1', true],
  ['localhost', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['0.0.0.0', false],
  ['::', false],
  ['10.0.0.5', false],
  ['console.example.com', false],
  ['127.0.0.1.example.com', false],
])('tells whether only this machine reaches %s: %s', (address, is) => {
  expect(isLoopback(address)).toBe(is);
});
