import { expect, it } from 'vitest';
import { termsOf } from './clients.ts';

it.each([
  ['', 'standard'],
  [' ', 'standard'],
  [' gold ', 'gold'],
])(
  'an empty rate card is the standard one, also for a client that had another: %j',
  (given, rateCard) => {
    const form = new URLSearchParams({ name: 'Acme', rateCard: given });
    expect(termsOf(form)).toMatchObject({ name: 'Acme', rateLimit: null, account: null, rateCard });
  },
);

it.each([
  ['', null],
  [' 5000 ', 5_000],
  ['0', 0],
])('reads the spending limit "%s"', (spendingLimit, expected) => {
  const form = new URLSearchParams({ name: 'Acme', spendingLimit });
  expect(termsOf(form).spendingLimit).toBe(expected);
});
