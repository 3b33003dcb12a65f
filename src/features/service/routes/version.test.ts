import { describe, expect, it } from 'vitest';
import packageJson from '../../../../package.json' with { type: 'json' };
import { StaveError } from '../../../common/errors.ts';
import type { ApiRequest } from '../../../engines/http/route/route.ts';
import { healthCheck, readVersion } from './service-routes.ts';

const request = {} as ApiRequest;
const versions = { apiVersion: 'v1', serviceVersion: packageJson.version };

describe('readVersion', () => {
  it('reports the contract version and the build', () => {
    expect(readVersion().handle(request)).toEqual({ data: versions });
  });
});

describe('healthCheck', () => {
  it('reports the versions while the node can serve', () => {
    expect(
      healthCheck({ readiness: { accepting: () => true, reason: () => '' } }).handle(request),
    ).toEqual({
      data: versions,
    });
  });

  it('is unavailable with the same data and a Retry-After while the node cannot serve', () => {
    let thrown: unknown;
    try {
      healthCheck({ readiness: { accepting: () => false, reason: () => 'Not now.' } }).handle(
        request,
      );
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(StaveError);
    const error = thrown as StaveError;
    expect(error.kind).toBe('unavailable');
    expect(error.data).toEqual(versions);
    expect(Number(error.headers['Retry-After'])).toBeGreaterThanOrEqual(1);
  });
});
