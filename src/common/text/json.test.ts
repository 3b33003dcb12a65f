import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonProblem } from './json.ts';

function problemOf(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return jsonProblem(text, error);
  }
}

describe('jsonProblem', () => {
  it.each([
    ['root:$6$secret', 'Unexpected character (line 1 column 1)'],
    ['{\n  "a": secret\n}', 'Unexpected character (line 2 column 8)'],
    ['{"a": [1, 2,\n]}', 'Unexpected character (line 2 column 1)'],
    ['["secret", truth]', 'Unexpected character (line 1 column 15)'],
    ['{"a":"secret"}}', 'Unexpected non-whitespace character after JSON (line 1 column 15)'],
    ['{"a":\n1 "secret"}', "Expected ',' or '}' after property value (line 2 column 3)"],
    ['{"a":1,}', 'Expected double-quoted property name (line 1 column 8)'],
    ['["secret\n"]', 'Bad control character in string literal (line 1 column 9)'],
    ['', 'Unexpected end of JSON input'],
  ])('tells why and where %j is not JSON', (text, problem) => {
    expect(problemOf(text)).toBe(problem);
  });

  it('finds an unexpected character anywhere, and quotes nothing of the text', () =>
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { minLength: 1 }), fc.nat(), (values, at) => {
        const line = at % values.length;
        // No value begins with this character.
        const lines = values.map(
          (value, i) => `${i === line ? ' §' : ''}${JSON.stringify(value)},`,
        );
        expect(problemOf(`[\n${lines.join('\n')}\n"secret"]`)).toBe(
          `Unexpected character (line ${line + 2} column 2)`,
        );
      }),
    ));
});
