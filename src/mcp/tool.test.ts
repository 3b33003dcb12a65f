import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { inputOf } from './schemas.ts';
import { tool } from './tool.ts';

const { inputSchema } = tool({
  name: 'search_tracks',
  title: 'Search',
  description: 'Search.',
  scope: 'search',
  input: inputOf({ text: Type.Optional(Type.String()), pageSize: Type.Optional(Type.Integer()) }),
  output: Type.Object({}),
  readOnly: true,
  run: async () => ({ data: {}, text: '' }),
});

const messagesOf = async (value: unknown) => {
  const { issues } = await inputSchema['~standard'].validate(value);
  return issues?.map(({ message }) => message);
};

describe('the arguments of a tool', () => {
  it('are named if they are unknown', async () => {
    expect(await messagesOf({ query: 'a', limit: 5, bpm: 1 })).toEqual([
      '"query" is not an argument of this tool (did you mean text?)',
      '"limit" is not an argument of this tool (did you mean pageSize?)',
      '"bpm" is not an argument of this tool (the known ones are text, pageSize)',
    ]);
  });

  it('are checked by their schema', async () => {
    expect(await messagesOf({ text: 'a', pageSize: 5 })).toBeUndefined();
    expect(await messagesOf({ pageSize: 'a' })).toEqual([expect.stringContaining('integer')]);
    expect(await messagesOf(null)).toEqual([expect.stringContaining('object')]);
  });
});
