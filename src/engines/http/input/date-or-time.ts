import Type, { type TSchemaOptions } from 'typebox';
import { DAY_MS } from '../../../common/clock.ts';

/** Returns the schema of one end of a time range: a calendar day, or a moment in UTC. */
export function dateOrTime(options?: TSchemaOptions) {
  return Type.Unsafe<string>({
    type: 'string',
    anyOf: [
      { format: 'date' },
      {
        format: 'date-time',
        // UTC, with up to three decimals. A leap second is refused: it has no value in milliseconds.
        pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-5][0-9](\\.[0-9]{1,3})?Z$',
      },
    ],
    'x-rule': 'be a date such as 2024-01-31 or a time in UTC such as 2024-01-31T12:00:00.000Z',
    ...options,
  });
}

/** Returns the moment, or the first moment of the day, in milliseconds since the epoch. */
export function firstMoment(dateOrTime: string): number {
  return Date.parse(dateOrTime);
}

/** Returns the moment, or the last moment of the day, in milliseconds since the epoch. */
export function lastMoment(dateOrTime: string): number {
  const first = firstMoment(dateOrTime);
  return dateOrTime.includes('T') ? first : first + DAY_MS - 1;
}
