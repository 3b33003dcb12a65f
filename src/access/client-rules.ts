import type { FieldProblem } from '../kernel/errors.ts';
import { StaveError } from '../kernel/errors.ts';
import { nearest } from '../kernel/nearest.ts';
import { ALL_SCOPES, FEATURES, type Feature, type Scope } from './client.ts';

const MAX_NAME_LENGTH = 200;
const MAX_RATE_LIMIT = 1_000_000;

/** What an operator may say about a client; words still unchecked. */
export interface ClientWishes {
  name?: string;
  scopes?: readonly string[];
  features?: readonly string[];
  /** Requests a minute; null: the default. */
  rateLimit?: number | null;
}

/** The same, checked; absent members were not given. */
export interface ClientTerms {
  name?: string;
  scopes?: Scope[];
  features?: Feature[];
  rateLimit?: number | null;
}

/** Checks what was given, and only that; throws invalid_request with every problem there is. */
export function checkTerms(wishes: ClientWishes): ClientTerms {
  const problems: FieldProblem[] = [];
  const terms: ClientTerms = {};
  if (wishes.name !== undefined) {
    terms.name = wishes.name.normalize('NFC').trim();
    if (terms.name === '' || terms.name.length > MAX_NAME_LENGTH || /\p{Cc}/u.test(terms.name)) {
      problems.push({
        field: 'name',
        message: `must have 1 to ${MAX_NAME_LENGTH} characters and no control characters.`,
      });
    }
  }
  if (wishes.scopes !== undefined) {
    terms.scopes = knownWords('scopes', wishes.scopes, ALL_SCOPES, problems);
    if (wishes.scopes.length === 0) {
      problems.push({
        field: 'scopes',
        message: `must name at least one of ${ALL_SCOPES.join(', ')}.`,
      });
    }
  }
  if (wishes.features !== undefined) {
    terms.features = knownWords('features', wishes.features, FEATURES, problems);
  }
  if (wishes.rateLimit !== undefined) {
    const limit = wishes.rateLimit;
    terms.rateLimit = limit;
    if (limit !== null && !(Number.isInteger(limit) && limit >= 1 && limit <= MAX_RATE_LIMIT)) {
      problems.push({
        field: 'rateLimit',
        message: `must be a whole number from 1 to ${MAX_RATE_LIMIT}.`,
      });
    }
  }
  if (problems.length > 0) {
    throw new StaveError('invalid_request', 'The client cannot be kept like this.', {
      details: problems,
    });
  }
  return terms;
}

/** Each word once, in the order in which the words are defined. */
function knownWords<Word extends string>(
  field: string,
  given: readonly string[],
  known: readonly Word[],
  problems: FieldProblem[],
): Word[] {
  for (const word of new Set(given)) {
    if (!known.includes(word as Word)) {
      const near = nearest(word, known);
      const hint = near === undefined ? `known are ${known.join(', ')}` : `did you mean "${near}"?`;
      problems.push({ field, message: `"${word.slice(0, 100)}" is not known; ${hint}` });
    }
  }
  return known.filter((word) => given.includes(word));
}
