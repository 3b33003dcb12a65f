import type { Scope } from '../../../common/caller.ts';
import { StaveError } from '../../../common/errors.ts';
import { nearest } from '../../../common/text/explain.ts';

/** A scope-token of RFC 6749 §3.3. */
const SCOPE_TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]{1,64}$/;

/**
 * Returns the scopes of a token in alphabetical order: all scopes of the client, or the requested
 * ones. Throws invalid_scope if the client lacks a requested one.
 */
export function grantScopes(held: ReadonlySet<Scope>, asked: string | undefined): Scope[] {
  if (asked === undefined) {
    return [...held].sort();
  }
  const words = new Set(asked.split(' ').filter((word) => word !== ''));
  const refused = [...words].filter((word) => !held.has(word as Scope));
  if (words.size === 0) {
    throw new StaveError(
      'invalid_scope',
      'The scope names nothing; leave it out to get every scope that the client holds.',
    );
  }
  if (refused.length > 0) {
    throw new StaveError('invalid_scope', 'The client does not hold every scope asked for.', {
      details: refused
        .slice(0, 20)
        .map((word) => ({ field: 'scope', message: refusal(word, held) })),
    });
  }
  return ([...words] as Scope[]).sort();
}

function refusal(word: string, held: ReadonlySet<Scope>): string {
  if (!SCOPE_TOKEN.test(word)) {
    return 'scope must be names of scopes, separated by spaces';
  }
  const near = nearest(word, held);
  return `"${word}" is not a scope of this client${near === undefined ? '' : ` (did you mean "${near}"?)`}`;
}
