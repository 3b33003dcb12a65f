import { describe, expect, it } from 'vitest';
import type { Scope } from '../../../common/caller.ts';
import { grantScopes } from './token-routes.ts';

const held = new Set<Scope>(['tracks', 'search', 'filters']);

describe('grantScopes', () => {
  it('grants all scopes of the client if none is named, in alphabetical order', () => {
    expect(grantScopes(held, undefined)).toEqual(['filters', 'search', 'tracks']);
  });

  it('grants the named scopes without duplicates', () => {
    expect(grantScopes(held, 'tracks search tracks')).toEqual(['search', 'tracks']);
    expect(grantScopes(held, '  search ')).toEqual(['search']);
  });

  it.each(['analytics', 'search analytics', 'SEARCH', 'search,tracks', ' ', 'constructor'])(
    'refuses %j',
    (requested) => {
      expect(() => grantScopes(held, requested)).toThrow(
        expect.objectContaining({ kind: 'invalid_scope' }),
      );
    },
  );

  it('suggests a similar scope, and does not repeat unusual text', () => {
    const details = (requested: string) => {
      try {
        grantScopes(held, requested);
      } catch (error) {
        return JSON.stringify((error as { details: unknown }).details);
      }
      throw new Error('granted');
    };
    expect(details('serch')).toContain('did you mean search?');
    expect(details('search,tracks')).toContain('separated by spaces');
    expect(details(`a\u0007b ${'x'.repeat(1000)}`)).not.toMatch(/x{65}|u0007/);
    expect(details(Array.from({ length: 5000 }, (_, i) => `s${i}`).join(' ')).length).toBeLessThan(
      2500,
    );
  });
});
