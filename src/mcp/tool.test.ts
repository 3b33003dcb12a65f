import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { inputOf } from './schemas.ts';
import { tool } from './tool.ts';

const { problemsOf } = tool({
  name: 'search_tracks',
  title: 'Search',
  description: 'Search.',
  scope: 'search',
  input: inputOf({ text: Type.Optional(Type.String()), pageSize: Type.Optional(Type.Integer()) }),
  output: Type.Object({}),
  readOnly: true,
  run: async () => ({ data: {}, text: '' }),
});

const messagesOf = (args: object) => problemsOf(args).map(({ message }) => message);

describe('the arguments of a tool', () => {
  it('are named if they are unknown', () => {
    expect(messagesOf({ query: 'a', limit: 5, bpm: 1 })).toEqual([
      'query is not an argument of this tool (did you mean text?)',
      'limit is not an argument of this tool (did you mean pageSize?)',
      'bpm is not an argument of this tool; the known arguments are text and pageSize',
    ]);
  });

  it('are checked by their schema', () => {
    expect(messagesOf({ text: 'a', pageSize: 5 })).toEqual([]);
    expect(messagesOf({ pageSize: 'a' })).toEqual(['pageSize must be a whole number']);
  });

  it('have a bounded number of problems', () => {
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`x${i}`, i]));
    expect(messagesOf(many)).toHaveLength(50);
  });
});
