import { expect, it } from 'vitest';
import { t } from './texts.ts';

it('chooses the form for a number, and writes numbers as people do', () => {
  expect(t('countTracks', { n: 1 })).toBe('1 track');
  expect(t('countTracks', { n: 1234 })).toBe('1,234 tracks');
  expect(t('remove', { name: '{n}' })).toBe('Remove {n}');
});
