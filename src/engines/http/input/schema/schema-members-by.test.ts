import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import type { FieldProblem } from '../../../../common/errors.ts';
import { oneOf } from '../../../../common/schema-types.ts';
import { BODY } from '../problems.ts';
import { compileCheck } from './schema-check.ts';

const check = compileCheck(
  Type.Object({
    events: Type.Array(
      Type.Object(
        {
          type: oneOf(['stream', 'sync']),
          seconds: Type.Optional(Type.Integer()),
          cue: Type.Optional(Type.String()),
        },
        {
          'x-members-by': {
            member: 'type',
            needs: { sync: ['seconds', 'cue'] },
            refuses: { stream: ['cue'] },
          },
        },
      ),
    ),
  }),
);

function messagesOf(...events: unknown[]): string[] {
  const problems: FieldProblem[] = [];
  check({ events }, BODY, problems);
  return problems.map(({ message }) => message);
}

describe('x-members-by', () => {
  it.each([
    { type: 'stream' },
    { type: 'stream', seconds: 1 },
    { type: 'sync', seconds: 1, cue: 'a' },
  ])('accepts %j', (event) => {
    expect(messagesOf(event)).toEqual([]);
  });

  it('refuses a member that is missing, or that does not belong there', () => {
    expect(messagesOf({ type: 'stream', cue: 'a' }, { type: 'sync' })).toEqual([
      'events[0].cue does not belong to type stream',
      'events[1].seconds is missing; it belongs to type sync',
      'events[1].cue is missing; it belongs to type sync',
    ]);
  });

  it.each([{}, { type: 'constructor' }, { type: null }, { type: ['sync'] }])(
    'says nothing more about %j, whose type has a problem',
    (event) => {
      expect(messagesOf({ ...event, cue: 'a' })).toHaveLength(1);
    },
  );
});
