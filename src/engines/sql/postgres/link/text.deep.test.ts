import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseOn, recordingLog } from '../../../../../test/harness/postgres-store.ts';
import {
  createDatabase,
  POSTGRES_URL,
  type TestDatabase,
} from '../../../../../test/harness/services.ts';
import type { Database } from '../database.ts';
import { fromStored, toStored } from './values.ts';

/** Texts with many special characters. */
const hostile = fc.string({
  unit: fc.constantFrom('\0', '\uE000', '\uE001', '0', '1', 'a', '\ud800', '\udfff', '\\', '"'),
});

describe('the stored form of a text', () => {
  it('contains no NUL, is unique to the text, and is converted back to it', () => {
    fc.assert(
      fc.property(hostile, hostile, (a, b) => {
        expect(fromStored(toStored(a))).toBe(a);
        expect(toStored(a)).not.toContain('\0');
        expect(toStored(a) === toStored(b)).toBe(a === b);
        // Concatenation must not change the result, so that stored texts can be compared piece by piece.
        expect(toStored(a) + toStored(b)).toBe(toStored(a + b));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe.skipIf(POSTGRES_URL === undefined)(
  'texts that are written to PostgreSQL and read again',
  () => {
    let place: TestDatabase;
    let database: Database;
    beforeAll(async () => {
      place = await createDatabase();
      database = databaseOn(place.url, recordingLog());
      await database.write((tx) => tx.script('CREATE TABLE texts (no bigint, value text)'));
    });
    afterAll(async () => {
      await database?.close();
      await place?.drop();
    });

    /** Sends the texts in each of the three ways. */
    async function sent(texts: readonly string[]): Promise<Record<string, string[]>> {
      const marks = texts.map((_, i) => `$${i + 1}::text`);
      const values = `SELECT unnest(ARRAY[${marks.join(', ')}]) AS value`;
      const array = 'SELECT value FROM unnest($1::text[]) WITH ORDINALITY t (value, n) ORDER BY n';
      return database.write(async (tx) => {
        await tx.script('TRUNCATE texts');
        await tx.copy(
          'texts (no, value)',
          texts.map((text, i) => [i, text]),
        );
        const taken = async (rows: Promise<{ value: string }[]>) =>
          (await rows).map(({ value }) => value);
        return {
          copy: await taken(tx.rows('SELECT value FROM texts ORDER BY no')),
          parameters: await taken(tx.rows(values, texts)),
          array: await taken(tx.rows(array, [texts])),
        };
      });
    }

    it('are unchanged if they contain special characters', async () => {
      const controls = Array.from({ length: 0xa1 }, (_, code) => String.fromCharCode(code));
      const words = [
        '',
        'NULL',
        'null',
        '\\N',
        '\\.',
        '{}',
        '{a,b}',
        '"',
        "'",
        ',',
        '\\',
        '\\\\',
        ' ',
      ];
      const signs = [
        '\0',
        '\uE000',
        '\uE0000',
        '\uE0001',
        '\u2028',
        '\ufeff',
        '\uffff',
        '🎵',
        'e\u0301',
      ];
      const texts = [...controls, ...words, ...signs].flatMap((text) => [
        text,
        `a${text}b`,
        text + text,
      ]);
      const { copy, parameters, array } = await sent(texts);
      expect(copy).toEqual(texts);
      expect(parameters).toEqual(texts);
      expect(array).toEqual(texts);
    });

    it('are unchanged for any combination of characters', async () => {
      const whole = fc.string({
        unit: fc.oneof(
          fc.constantFrom(
            '\0',
            '\uE000',
            '0',
            '1',
            '\\',
            '"',
            '\t',
            '\n',
            '\r',
            '{',
            '}',
            ',',
            'N',
          ),
          fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
        ),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(whole, { minLength: 1, maxLength: 30 }), async (texts) => {
          const { copy, parameters, array } = await sent(texts);
          expect(copy).toEqual(texts);
          expect(parameters).toEqual(texts);
          expect(array).toEqual(texts);
        }),
        { numRuns: 60 },
      );
    });

    it('contain a replacement character for each unpaired surrogate', async () => {
      const { copy, parameters, array } = await sent(['a\ud800b', '\udfff']);
      const readable = ['a\ufffdb', '\ufffd'];
      expect([copy, parameters, array]).toEqual([readable, readable, readable]);
    });
  },
);
