import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FieldProblem } from '../../../common/errors.ts';
import { MAX_MEMBERS, parseJson } from './parse-body.ts';

function parse(text: string): { value: unknown; messages: string[] } {
  const problems: FieldProblem[] = [];
  const value = parseJson(text, problems);
  return { value, messages: problems.map(({ message }) => message) };
}

describe('parseJson', () => {
  it('reads the output of JSON.stringify with any white space', () => {
    const value = fc
      .jsonValue({ maxDepth: 10 })
      .filter((json) => !/proto|constructor/.test(JSON.stringify(json)));
    fc.assert(
      fc.property(value, fc.constantFrom(0, 1, '\t'), (json, space) => {
        const text = JSON.stringify(json, null, space);
        expect(parse(text)).toEqual({ value: JSON.parse(text), messages: [] });
      }),
    );
  });

  it('finds a repeated member at any depth, and reports nothing else', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.nat(20), (first, second, depth) => {
        fc.pre(
          !/^(?:__proto__|constructor)$/.test(first) && !/^(?:__proto__|constructor)$/.test(second),
        );
        const inner = `{${JSON.stringify(first)}:"{[,",${JSON.stringify(second)}:[{"a":1},{"a":1}]}`;
        const text = `${'[{"a":'.repeat(depth / 2)}${inner}${'}]'.repeat(depth / 2)}`;
        expect(parse(text).messages.length).toBe(first === second ? 1 : 0);
      }),
    );
  });

  it('finds the end of a string after any backslashes', () => {
    const texts = fc.array(fc.constantFrom('\\', '"', '{', ':', 'a'), { maxLength: 12 });
    fc.assert(
      fc.property(texts, texts, (name, value) => {
        const member = `${JSON.stringify(name.join(''))}:${JSON.stringify(value.join(''))}`;
        const expected = 'body must have at most 1000 members';
        expect(parse(`{${member},${member}}`).messages).toHaveLength(1);
        expect(parse(`{${member}}${' '.repeat(5_000)}`).messages).toEqual([]);
        const many = `[{${member}}${`,{${member}}`.repeat(MAX_MEMBERS)}]`;
        expect(parse(many).messages).toEqual([expected]);
      }),
    );
  });

  it('accepts at most 32 levels', () => {
    const nested = (depth: number) => `${'{"a":['.repeat(depth / 2)}${']}'.repeat(depth / 2)}`;
    expect(parse(nested(32)).messages).toEqual([]);
    expect(parse(nested(34)).messages).toEqual(['body must not be nested deeper than 32 levels']);
    expect(parse(`"${'['.repeat(100)}"`).messages).toEqual([]);
  });

  it('accepts at most a thousand members, and does not count the content of strings', () => {
    const pairs = (count: number) => Array.from({ length: count }, (_, i) => `"m${i}":":\\":"`);
    expect(parse(`{${pairs(MAX_MEMBERS)}}`).messages).toEqual([]);
    expect(parse(`{"a":[{${pairs(500)}},{${pairs(500)}}]}`).messages).toEqual([
      'body must have at most 1000 members',
    ]);
    expect(parse(`{"a":"${':'.repeat(60_000)}"}`).messages).toEqual([]);
    expect(parse(`{"a":"${':'.repeat(60_000)}`).messages).toEqual([
      'body is not JSON: it ends too early',
    ]);
  });

  it('reports where a text is not JSON, and quotes nothing of it', () => {
    expect(parse('{"a": 1,\n "b" secret}').messages).toEqual([
      'body is not JSON: line 2, column 6 is unexpected',
    ]);
    expect(parse('{"a": secret}').messages).toEqual(['body is not JSON']);
    expect(parse('{"a": "sec').messages).toEqual(['body is not JSON: it ends too early']);
  });

  it('refuses a member that would access a prototype', () => {
    expect(parse('{"a": [{"__pro\\u0074o__": 1}]}').messages).toEqual([
      'a[0].__proto__ is not a member that a body may have',
    ]);
  });

  it('names the path of a member', () => {
    const text = '{"a":[[1,{}],{"b":[2,{"c":1,"d":[],"c":2}],"b":{"e":{},"e":1}}],"a":",{["}';
    expect(parse(text).messages).toEqual([
      'a[1].b[1].c must be given once',
      'a[1].b must be given once',
      'a[1].b.e must be given once',
      'a must be given once',
    ]);
  });
});
