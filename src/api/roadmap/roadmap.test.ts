import { describe, expect, it } from 'vitest';
import { StaveError } from '../../common/errors.ts';
import type { ApiRequest } from '../../http/route.ts';
import { roadmapRoutes } from './roadmap-routes.ts';

describe('roadmapRoutes', () => {
  it('has the two paths that the contract announces', () => {
    expect(roadmapRoutes().map((route) => `${route.method} ${route.path}`)).toEqual([
      'POST /v1/usage',
    ]);
  });

  it.each(roadmapRoutes())('$operationId throws if its feature is on', (route) => {
    expect(route.access).toMatchObject({ feature: expect.any(String) });
    expect(() => route.handle({} as ApiRequest)).toThrowError(StaveError);
    expect(() => route.handle({} as ApiRequest)).toThrowError(/does not have it yet/);
  });
});
