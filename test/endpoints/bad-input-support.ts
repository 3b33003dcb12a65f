import { expect } from 'vitest';
import type { TestServer } from '../harness/test-server.ts';

/** Returns the fields that the error of a refused request names. Checks that each message contains the name and a rule. */
export async function fieldsOfRefusal(
  server: TestServer,
  operationId: string,
  options: object,
): Promise<string[]> {
  const { status, error } = await server.call(operationId, options);
  expect({ status, type: error.type }).toEqual({ status: 400, type: 'invalid_request' });
  for (const { field, message } of error.details!) {
    expect(message.length).toBeGreaterThan(field.length);
  }
  expect(error.message).toMatch(/\.$/);
  return error.details!.map(({ field }) => field);
}
