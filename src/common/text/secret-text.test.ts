import { describe, expect, it } from 'vitest';
import { withoutSecretText } from './secret-text.ts';

describe('withoutSecretText', () => {
  it.each([
    ['GET /media/stream/x?signature=a-b_c', 'GET /media/stream/x?[secret]'],
    [
      '/media/stream/x%3Fmode%3Dtest%26signature%3Da-b_c',
      '/media/stream/x%3Fmode%3Dtest%26[secret]',
    ],
    ['stave_test_abc123 and more', '[secret] and more'],
    ['Authorization: Bearer abcdefgh', 'Authorization: [secret]'],
    ['eyJhbGciOi.eyJzdWIi.c2ln', '[secret]'],
  ])('redacts %s', (text, expected) => {
    expect(withoutSecretText(text)).toBe(expected);
  });

  it('does not change a text without a secret', () => {
    expect(withoutSecretText('the signature of /v1/tracks')).toBe('the signature of /v1/tracks');
  });
});
