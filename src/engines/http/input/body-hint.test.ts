import { describe, expect, it } from 'vitest';
import { mislabeled } from './parse-body.ts';

const JSON_TYPE = 'application/json';
const FORM = 'application/x-www-form-urlencoded';

describe('mislabeled', () => {
  it.each([
    [
      '{"grant_type":"client_credentials"}',
      FORM,
      [JSON_TYPE, FORM],
      `body is JSON, but its Content-Type is ${FORM}; send Content-Type: ${JSON_TYPE}`,
    ],
    [
      ' \n{ "a": "b=c" }',
      FORM,
      [FORM],
      `body is JSON, but its Content-Type is ${FORM}; send a form`,
    ],
    [
      'grant_type=client_credentials&a=b',
      JSON_TYPE,
      [JSON_TYPE, FORM],
      `body is a form, but its Content-Type is ${JSON_TYPE}; send Content-Type: ${FORM}`,
    ],
    [
      'query=night',
      JSON_TYPE,
      [JSON_TYPE],
      `body is a form, but its Content-Type is ${JSON_TYPE}; send JSON`,
    ],
  ] as const)('returns what to send instead of %s', (text, type, accepted, message) => {
    expect(mislabeled(text, type, accepted)).toBe(message);
  });

  it.each([
    ['{"a":1}', JSON_TYPE],
    ['', JSON_TYPE],
    ['{', JSON_TYPE],
    ['a=b', FORM],
    ['{=b', FORM],
    ['', FORM],
    ['a'.repeat(60_000), JSON_TYPE],
  ] as const)('returns nothing for %.20s as %s', (text, type) => {
    expect(mislabeled(text, type, [JSON_TYPE, FORM])).toBeUndefined();
  });
});
