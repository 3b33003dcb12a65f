import { expect } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { ERROR_KINDS, type ErrorKind } from '../../src/common/errors.ts';
import type { RawResponse } from './raw-client.ts';

interface ErrorBody {
  code: number;
  type: ErrorKind;
  message: string;
  details?: { field: string; message: string }[];
  requestId: string;
  docs: string;
}

/** Some of the headers that scripts of other origins may read. */
const EXPOSED = [
  'RateLimit-Limit',
  'Retry-After',
  'X-Request-Id',
  'Content-Range',
  'ETag',
  'Location',
  'Content-Language',
  'Idempotency-Replayed',
];

/** Expects the headers that every response has (docs/contract/versions.md#version-headers). */
export function expectStandingHeaders(response: RawResponse, version = 'v1'): void {
  const { headers } = response;
  expect(headers['x-api-version']).toBe(version);
  expect(headers['x-service-version']).toBe(packageJson.version);
  expect(headers['x-request-id']).toMatch(/^[A-Za-z0-9._-]{1,64}$/);
  expect(headers['access-control-allow-origin']).toBe('*');
  const exposed = String(headers['access-control-expose-headers']).split(', ');
  expect(exposed).toEqual(expect.arrayContaining(EXPOSED));
  expect(headers.date).toMatch(/GMT$/);
}

/** Expects a complete and valid envelope with an error of this kind, and returns the error. */
export function expectEnvelope(response: RawResponse, kind: ErrorKind): ErrorBody {
  const { headers, body } = response;
  const envelope = JSON.parse(body.toString()) as { data: object; error: ErrorBody };
  expect({ kind: envelope.error.type, message: envelope.error.message }).toEqual({
    kind,
    message: expect.stringMatching(/^[A-Z\w].*[.?]$/s),
  });
  expect(response.status).toBe(ERROR_KINDS[kind].status);
  expect(envelope.error.code).toBe(ERROR_KINDS[kind].status);
  expect(Object.keys(envelope)).toEqual(['data', 'error']);
  expect(Object.keys(envelope.error).at(-1)).toBe('docs');
  expect(envelope.error.docs).toMatch(new RegExp(`^https?://[^#]+/docs/errors#${kind}$`));
  expect(typeof envelope.data).toBe('object');
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(headers['content-length']).toBe(String(body.length));
  expect(headers['cache-control']).toBe('no-store');
  expect(envelope.error.requestId).toBe(headers['x-request-id']);
  expectStandingHeaders(response);
  return envelope.error;
}

/** Expects an envelope without an error, and returns its data. */
export function expectData(response: RawResponse, version?: string): unknown {
  const { data, error } = JSON.parse(response.body.toString()) as { data: unknown; error: unknown };
  expect(error).toEqual({ code: 0, message: 'OK' });
  expect(response.status).toBe(200);
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  expectStandingHeaders(response, version);
  return data;
}
