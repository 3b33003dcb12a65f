import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import Type, { type TSchema } from 'typebox';
import { describe, expect, it, vi } from 'vitest';
import type { FieldProblem } from '../../../../common/errors.ts';
import { nearest } from '../../../../common/text/explain.ts';
import { BODY, MAX_PROBLEMS } from '../problems.ts';
import { compileCheck } from './schema-check.ts';

vi.mock('../../../../common/text/explain.ts', { spy: true });

function messages(schema: TSchema, value: unknown, field = BODY): string[] {
  const problems: FieldProblem[] = [];
  compileCheck(schema)(value, field, problems);
  return problems.map(({ message }) => message);
}

const CLOSED = { additionalProperties: false };

/** Every keyword that a check implements itself. */
const Everything = Type.Object(
  {
    text: Type.Optional(Type.String({ minLength: 1, maxLength: 4 })),
    slug: Type.Optional(Type.String({ pattern: '^[a-z]+$' })),
    id: Type.Optional(Type.String({ format: 'uuid' })),
    at: Type.Optional(Type.String({ format: 'date-time' })),
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: 5 })),
    ratio: Type.Optional(Type.Number({ minimum: -1 })),
    flag: Type.Optional(Type.Boolean()),
    kind: Type.Optional(Type.Union([Type.Literal('a'), Type.Literal(3), Type.Literal(true)])),
    word: Type.Optional(Type.Enum(['x', 'y'])),
    list: Type.Optional(
      Type.Array(Type.Integer(), { minItems: 1, maxItems: 2, uniqueItems: true }),
    ),
    inner: Type.Optional(Type.Object({ a: Type.Integer() }, CLOSED)),
    open: Type.Optional(Type.Object({}, { additionalProperties: true })),
    // Checked by TypeBox.
    either: Type.Optional(Type.Union([Type.Integer(), Type.String({ minLength: 2 })])),
    map: Type.Optional(Type.Record(Type.String(), Type.Integer())),
  },
  CLOSED,
);

describe('compileCheck', () => {
  it('refuses exactly what ajv refuses', () => {
    const ajv = new Ajv({ strict: false });
    addFormats.default(ajv);
    const validate = ajv.compile(JSON.parse(JSON.stringify(Everything)));
    const scalar = fc.oneof(
      fc.constantFrom(
        null,
        true,
        false,
        '',
        'a',
        'x',
        'abcd',
        'abcde',
        '𝄞𝄞𝄞𝄞',
        0,
        1,
        3,
        5,
        6,
        1.5,
        -1,
        -2,
      ),
      fc.uuid(),
      fc.constant('2026-11-21T10:40:10.000Z'),
      fc.constant('2026-11-21'),
    );
    const value = fc.oneof(
      scalar,
      fc.array(fc.oneof(scalar, fc.constant([])), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b'), scalar, { maxKeys: 2 }),
    );
    const object = fc.dictionary(
      fc.constantFrom(...Object.keys(Everything.properties), 'zz'),
      value,
      { maxKeys: 3 },
    );
    fc.assert(
      fc.property(fc.oneof({ weight: 9, arbitrary: object }, value), (candidate) => {
        expect(messages(Everything, candidate).length === 0).toBe(validate(candidate));
      }),
      { numRuns: 3000 },
    );
  });

  it('fills in defaults without changes', () => {
    const value = {};
    expect(
      messages(
        Type.Object({ page: Type.Integer({ default: 1 }) }, { ...CLOSED, required: [] }),
        value,
      ),
    ).toEqual([]);
    expect(value).toEqual({ page: 1 });
  });

  it.each<[string, TSchema, unknown, string]>([
    [
      'a range',
      Type.Integer({ minimum: 1, maximum: 100 }),
      0,
      'f must be a whole number from 1 to 100',
    ],
    ['a lower bound', Type.Integer({ minimum: 1 }), 0, 'f must be a whole number of at least 1'],
    ['an upper bound', Type.Number({ maximum: 2 }), 3, 'f must be a number of at most 2'],
    ['no bound', Type.Number(), '3', 'f must be a number, without quotes'],
    ['NaN', Type.Number(), Number.NaN, 'f must be a number'],
    ['one choice', Type.Literal('a'), 'b', 'f must be a'],
    ['three choices', Type.Enum(['a', 'b', 'c']), 'd', 'f must be a, b or c'],
    ['null', Type.String(), null, 'f must not be null; leave it out'],
    ['an empty text', Type.String({ minLength: 1 }), '', 'f must not be empty'],
    ['a short text', Type.String({ minLength: 3 }), 'ab', 'f must be at least 3 characters long'],
    ['a pattern', Type.String({ pattern: '^a$' }), 'b', 'f must match ^a$'],
    [
      'a pattern with a rule',
      Type.String({ pattern: '^a$', 'x-rule': 'be the letter a' }),
      'b',
      'f must be the letter a',
    ],
    [
      'a time',
      Type.String({ format: 'date-time' }),
      '2026',
      'f must be a time such as 2026-11-21T10:40:10.000Z',
    ],
    ['few entries', Type.Array(Type.Any(), { minItems: 2 }), [1], 'f must hold at least 2 entries'],
    [
      'equal entries',
      Type.Array(Type.Any(), { uniqueItems: true }),
      [[1], [1]],
      'f must not hold the same entry twice',
    ],
    ['a missing member', Type.Object({ a: Type.String() }), {}, 'f.a is missing'],
    [
      'an unknown member',
      Type.Object({ abc: Type.Optional(Type.String()) }),
      { abd: 1 },
      'f.abd is not a member of this object (did you mean f.abc?)',
    ],
    [
      'an unknown member without a near known one',
      Type.Object({ abc: Type.Optional(Type.String()), bcd: Type.Optional(Type.String()) }),
      { zzzzzz: 1 },
      'f.zzzzzz is not a member of this object; the known members are abc and bcd',
    ],
    [
      'an unknown member beside the only known one',
      Type.Object({ abc: Type.Optional(Type.String()) }),
      { zzzzzz: 1 },
      'f.zzzzzz is not a member of this object; the only known member is abc',
    ],
    [
      'a member of an object without known members',
      Type.Object({}),
      { abc: 1 },
      'f.abc is not a member of this object, which has none',
    ],
    [
      'a schema that TypeBox checks',
      Type.Union([Type.Null(), Type.Integer()], { 'x-rule': 'be a whole number or null' }),
      'x',
      'f must be a whole number or null',
    ],
  ])('reports %s', (_what, schema, value, message) => {
    expect(messages(schema, value, 'f')).toEqual([message]);
  });

  it('refuses NUL and half surrogate pairs also in a schema that TypeBox checks', () => {
    const schema = Type.Record(Type.String(), Type.Any(), { 'x-rule': 'map names' });
    expect(messages(schema, { a: ['b', { c: 'd' }] }, 'f')).toEqual([]);
    for (const text of ['\0', '\ud800']) {
      expect(messages(schema, { a: ['b', { c: text }] }, 'f')).toEqual([
        'f must not hold NUL or half of a surrogate pair',
      ]);
    }
  });

  it('reports a number or a boolean that was sent as a text', () => {
    const schema = Type.Object({ page: Type.Integer({ minimum: 1 }), hasVocals: Type.Boolean() });
    expect(messages(schema, { page: '1', hasVocals: 'True' })).toEqual([
      'page must be a whole number of at least 1, without quotes',
      'hasVocals must be true or false, without quotes',
    ]);
  });

  it('names entries and members by their path', () => {
    const schema = Type.Object({ records: Type.Array(Type.Object({ at: Type.Integer() })) });
    expect(messages(schema, { records: [{ at: 1 }, { at: 'x' }] })).toEqual([
      'records[1].at must be a whole number',
    ]);
  });

  it('does not treat inherited properties as members', () => {
    const schema = Type.Object({
      toString: Type.Optional(Type.Integer()),
      valueOf: Type.Integer(),
    });
    expect(messages(schema, {})).toEqual(['valueOf is missing']);
  });

  it('reports a limited number of problems, and truncates long names', () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`member${i}`, 1]));
    vi.mocked(nearest).mockClear();
    expect(messages(Type.Object({}), many)).toHaveLength(MAX_PROBLEMS);
    expect(nearest).toHaveBeenCalledTimes(MAX_PROBLEMS);
    const [message] = messages(Type.Object({}), { ['x'.repeat(10_000)]: 1 });
    expect(message!.length).toBeLessThan(300);
  });

  it('throws for an unknown format when it compiles the schema', () => {
    expect(() => compileCheck(Type.String({ format: 'color' }))).toThrow('unknown format color');
  });
});
