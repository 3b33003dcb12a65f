import { expect, it } from 'vitest';
import { printable, printableLine } from './printable.ts';

it('replaces control characters and direction marks, and keeps the lines of a text', () => {
  const text = 'a\u001b[2Jb\u202ec\nd\te\u0085\u2067f\u2028g\u007f 夜🎵';
  expect(printable(text)).toBe('a�[2Jb�c\nd\te��f�g� 夜🎵');
  expect(printableLine(text)).toBe('a�[2Jb�c�d�e��f�g� 夜🎵');
});
