import { expect, it, vi } from 'vitest';
import { NOW, sourceOf } from './briefs.test-support.ts';
import { Briefs } from './briefs.ts';
import { Synonyms } from './synonyms.ts';

const MOODS = ['dark', 'calm', 'epic', 'happy', 'eerie', 'sad'];
/** `gloom` means the same as `dark`, and does not count again. */
const NEAREST = ['dark', 'gloom', ...MOODS.slice(1)];

/** Reads briefs with a model to which all moods are near to all phrases. */
function reader() {
  const near = vi.fn(async (phrases: readonly string[]) => ({
    state: 'remote' as const,
    near: phrases.map(() => NEAREST.map((term, i) => ({ term, similarity: 0.95 - i / 20 }))),
  }));
  const vocabulary = sourceOf({ filters: ['genre:Jazz', ...MOODS.map((name) => `mood:${name}`)] });
  const current = new Synonyms([
    { term: 'smoky', names: ['jazz'] },
    { term: '~harbor', names: ['jazz'] },
    { term: 'gloom', names: ['dark'] },
  ]);
  const briefs = new Briefs({
    catalog: { vocabulary, version: 1 },
    synonyms: { current, version: 1 },
    meanings: { near, isEnglish: false, prepare: async () => {} },
  });
  return { briefs, near };
}

it.each([
  ['a rusty gate', ['dark', 'calm', 'epic', 'happy', 'eerie']],
  ['a rusty gate at a harbor', ['jazz', 'dark', 'calm']],
  ['a rusty gate, smoky', ['jazz', 'dark', 'calm']],
  ['a rusty gate, jazz', ['jazz', 'dark']],
  ['a rusty gate, smoky gloom', ['jazz', 'dark', 'calm']],
])(
  'of “%s”, as many terms are meant as do not outweigh what is understood',
  async (brief, filters) => {
    const { understood } = await reader().briefs.read(brief, { now: NOW });
    expect(understood.map(({ filter }) => filter)).toEqual(filters);
  },
);

it('compares no phrase of numbers and common words alone', async () => {
  const { briefs, near } = reader();
  const brief = 'a rusty gate, goes past, 1958, three walking';
  const { ignored } = await briefs.read(brief, { now: NOW });
  expect(near.mock.calls[0]![0]).toEqual(['rusty gate']);
  expect(ignored).toContain('goes past');
});
