import { expect, it } from 'vitest';
import { isLoopback } from './loopback.ts';

it.each(['localhost', '127.0.0.1', '127.255.0.9', '::1', '[::1]', '::ffff:127.0.0.1'])(
  '%s is loopback',
  (host) => {
    expect(isLoopback(host)).toBe(true);
  },
);

it.each([
  ...['0.0.0.0', '::', '[::2]', '10.0.0.1', '128.0.0.1', 'example.com', 'localhost.example.com'],
  ...['127.0.0.1.example.com', '127.0.0.256', '127.1', '', '[localhost', 'xlocalhost'],
])('%s is not', (host) => {
  expect(isLoopback(host)).toBe(false);
});
