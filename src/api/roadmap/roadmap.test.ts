import { describe, expect, it } from 'vitest';
import { StaveError } from '../../common/errors.ts';
import type { ApiRequest } from '../../http/route.ts';
import { roadmapRoutes } from './roadmap-routes.ts';

describe('roadmapRoutes', () => {
  it('has the three paths that the contract announces', () => {
    expect(roadmapRoutes().map((route) => `${route.method} ${route.path}`)).toEqual([
      'GET /v1/tracks/changes',
      'POST /v1/usage',
      'GET /v1/tracks/{slug}/similar',
    ]);
  });

  it.each(roadmapRoutes())('$operationId throws if its feature is on', (route) => {
    expect(route.access).toMatchObject({ feature: expect.any(String) });
    expect(() => route.handle({} as ApiRequest)).toThrowError(StaveError);
    expect(() => route.handle({} as ApiRequest)).toThrowError(/does not have it yet/);
  });
});
