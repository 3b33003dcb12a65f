import Type, { type TSchemaOptions } from 'typebox';
import { COUNTRIES, TERRITORY, USUAL_CODES, WORLD } from './codes.ts';

/** Programs that read OpenAPI handle `type` with `enum` better than a union of constants. */
export function oneOf<const Word extends string>(words: readonly Word[], options?: TSchemaOptions) {
  return Type.Unsafe<Word>({ type: 'string', enum: [...words], ...options });
}

/**
 * A word of a response, of which others may be added (docs/versioning.md). Generated clients refuse what an `enum` does not
 * list, and make wrappers of unions, but take this for a text.
 */
export function openEnum<const Word extends string>(
  words: readonly Word[],
  options?: TSchemaOptions,
) {
  return Type.Unsafe<Word>({ type: 'string', 'x-extensible-enum': [...words], ...options });
}

export function uuid(options?: TSchemaOptions) {
  return Type.String({
    format: 'uuid',
    'x-rule': 'be a UUID',
    ...options,
  });
}

/** Lower-case ASCII words joined by hyphens (docs/contract/tracks.md#slugs). */
export function slug(options?: TSchemaOptions) {
  return Type.String({
    'x-rule': 'hold only the letters a to z in lower case, digits and hyphens',
    pattern: '^[a-z0-9-]+$',
    ...options,
  });
}

/** Control characters and the ends of lines, as the inside of a class of a pattern. */
const CONTROLS = '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029';
/** The same without the line feed. */
const CONTROLS_IN_LINES = '\\u0000-\\u0009\\u000b-\\u001f\\u007f-\\u009f\\u2028\\u2029';
/** The characters that show the following text in another order, which could make a name look like another one. */
const DIRECTIONS = '\\u202a-\\u202e\\u2066-\\u2069';

/** A text of 1 to `maxLength` characters on one line, such as a title. */
export function line(maxLength: number, options?: TSchemaOptions) {
  return Type.String({
    minLength: 1,
    maxLength,
    pattern: `^[^${CONTROLS}]*$`,
    'x-rule': `have 1 to ${maxLength} characters, and no control characters`,
    ...options,
  });
}

/** A name of 1 to `maxLength` characters in a contract, which everybody reads alike, and which is more than spaces. */
export function contractName(maxLength: number, options?: TSchemaOptions) {
  const refused = CONTROLS + DIRECTIONS;
  return line(maxLength, {
    pattern: `^[^${refused}]*[^\\s${refused}][^${refused}]*$`,
    'x-rule': `have 1 to ${maxLength} characters, not only spaces, and no characters that control lines or directions`,
    ...options,
  });
}

/** A text of 1 to `maxLength` characters on lines, which everybody reads alike, and which is more than spaces. */
export function lines(maxLength: number, options?: TSchemaOptions) {
  const refused = CONTROLS_IN_LINES + DIRECTIONS;
  return Type.String({
    minLength: 1,
    maxLength,
    pattern: `^[^${refused}]*[^\\s${refused}][^${refused}]*$`,
    'x-rule': `have 1 to ${maxLength.toLocaleString('en')} characters, not only spaces, and no control characters except line feeds`,
    ...options,
  });
}

export function country(options?: TSchemaOptions) {
  return oneOf(COUNTRIES, {
    title: 'CountryCode',
    'x-rule': 'be a country code of ISO 3166-1 in upper case, such as DE',
    'x-meant': USUAL_CODES,
    ...options,
  });
}

export function territory() {
  return oneOf([WORLD, ...COUNTRIES], { title: 'TerritoryCode', ...TERRITORY });
}

/** A time of RFC 3339 with any offset in a request, as `parseTime` reads it. */
export function time(options?: TSchemaOptions) {
  return Type.String({
    format: 'date-time',
    'x-rule': 'be a time such as 2026-11-21T10:40:10.000Z',
    maxLength: 60,
    // A leap second is refused: it has no value in milliseconds.
    pattern:
      '^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-5][0-9](\\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})$',
    ...options,
  });
}

/** A moment in UTC with milliseconds. */
export function timestamp(options?: TSchemaOptions) {
  return Type.String({ format: 'date-time', ...options });
}

export function timestampOrNull(options?: TSchemaOptions) {
  return Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time', ...options });
}

// Members of bodies and responses that need no more than their meaning and an example:

export function text(
  description: string,
  example: string,
  options?: { pattern: string } | { format: string },
) {
  return Type.String({ ...options, description, examples: [example] });
}

export function textOrNull(description: string, example: string | null) {
  const type = ['string', 'null'];
  return Type.Unsafe<string | null>({ type, description, examples: [example] });
}

/** A whole number from 0, unless there is another minimum. */
export function integer(
  description: string,
  example: number,
  bounds: { minimum?: 1; maximum?: number; default?: number } = {},
) {
  return Type.Integer({ minimum: 0, ...bounds, description, examples: [example] });
}

export function integerOrNull(description: string, example: number | null) {
  const type = ['integer', 'null'];
  return Type.Unsafe<number | null>({ type, description, examples: [example] });
}

export function flag(description: string, example: boolean, options?: { default: boolean }) {
  return Type.Boolean({ ...options, description, examples: [example] });
}

/** Who made something (docs/contract/authentication.md#who-did-it). */
export function madeBy() {
  return Type.Object(
    {
      type: openEnum(['seat', 'client', 'operator']),
      name: Type.String({ description: 'The name at that time.', examples: ['Ana'] }),
    },
    { title: 'By', description: 'Who made it.' },
  );
}
