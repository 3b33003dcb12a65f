import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import type { Route } from '../route/route.ts';
import { pathsOf, suggestedPath } from './paths.ts';

const at = (method: Route['method'], path: string, data?: Route['data']) =>
  ({ method, path, data }) as Route;

const paths = pathsOf([
  at('GET', '/v1/things', Type.Object({})),
  at('POST', '/v1/things', Type.Object({})),
  at('GET', '/v1/things/{slug}', Type.Object({})),
  at('POST', '/v1/things/batch', Type.Object({})),
  at('GET', '/pictures/{id}.png'),
]);

describe('pathsOf', () => {
  it('returns each path once, with its methods', () => {
    expect(paths.map(({ pattern: _, ...path }) => path)).toEqual([
      {
        path: '/v1/things',
        url: '/v1/things',
        methods: ['GET', 'HEAD', 'POST', 'OPTIONS'],
        hasJson: true,
      },
      {
        path: '/v1/things/{slug}',
        url: '/v1/things/:slug',
        methods: ['GET', 'HEAD', 'OPTIONS'],
        hasJson: true,
      },
      {
        path: '/v1/things/batch',
        url: '/v1/things/batch',
        methods: ['GET', 'HEAD', 'POST', 'OPTIONS'],
        hasJson: true,
      },
      {
        path: '/pictures/{id}.png',
        url: '/pictures/:id.png',
        methods: ['GET', 'HEAD', 'OPTIONS'],
        hasJson: false,
      },
    ]);
  });
});

describe('suggestedPath', () => {
  it.each([
    ['/V1/Things', '/v1/things'],
    ['/v1/things/', '/v1/things'],
    ['/v1//things/a', '/v1/things/{slug}'],
    ['/things', '/v1/things'],
    ['/api/v1/things', '/v1/things'],
    ['/v1/thinks', '/v1/things'],
    ['/v1/thinks/a', '/v1/things/{slug}'],
    ['/v1/batch', '/v1/things/batch'],
    ['/v1/birds', undefined],
    ['/v1/something-else-altogether', undefined],
    [`/v1/things${'/'.repeat(2)}${'a'.repeat(100)}/b`, undefined],
  ])('returns for %s the path %s', (unknown, path) => {
    expect(suggestedPath(paths, unknown)).toBe(path);
  });
});
