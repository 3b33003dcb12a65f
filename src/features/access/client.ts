import {
  ALL_SCOPES,
  FEATURES,
  type Feature,
  MODES,
  type Mode,
  type Scope,
} from '../../common/caller.ts';
import { type FieldProblem, StaveError } from '../../common/errors.ts';
import { didYouMean } from '../../common/text/explain.ts';
import type { ChangeKind } from '../../engines/change-log/change-log.ts';

/** Requests per minute (docs/contract/limits.md#rate-limit). */
export const DEFAULT_RATE_LIMIT = 600;

export const STANDARD_RATE_CARD = 'standard';

/** The greatest number of live secrets of a client in one mode. */
export const MAX_LIVE_SECRETS = 2;

/** A stored secret, which is never in clear text. Times are in milliseconds since the epoch. */
export interface ClientSecret {
  id: string;
  mode: Mode;
  /**
   * The SHA-256 of the secret, 64 hex digits. A plain hash is sufficient because a secret has at least 160
   * random bits.
   */
  hash: string;
  createdAt: number;
  revokedAt: number | null;
}

export interface Client {
  id: string;
  name: string;
  scopes: Scope[];
  features: Feature[];
  /** Requests per minute; null for the default. */
  rateLimit: number | null;
  /** The account whose clients may share collections with each other; null for an account of its own. */
  account: string | null;
  /** The name of the rate card that prices its quotes; null for STANDARD_RATE_CARD. */
  rateCard: string | null;
  /**
   * What it may spend in a month (UTC) and mode, in major units of the currency of its rate card; null for no limit.
   */
  spendingLimit: number | null;
  enabled: boolean;
  createdAt: number;
  /** Live and revoked secrets, oldest first. */
  secrets: ClientSecret[];
  /** The ids of the playlists that are granted to it. */
  playlistIds: string[];
}

export type KeyPurpose = 'token' | 'url';

/** A key that signs tokens or URLs. The newest key of a purpose signs; retired keys verify for an hour. */
export interface SigningKey {
  id: string;
  purpose: KeyPurpose;
  /** 32 random bytes. */
  secret: Buffer;
  createdAt: number;
  retiredAt: number | null;
}

export type ClientChange = Partial<
  Pick<
    Client,
    | 'name'
    | 'scopes'
    | 'features'
    | 'rateLimit'
    | 'account'
    | 'rateCard'
    | 'spendingLimit'
    | 'enabled'
  >
>;

export interface NameRule {
  /** Whether the names of new clients must differ from the stored ones. Checked under the write lock. */
  isNewName: boolean;
}

const MAX_NAME_LENGTH = 200;
const MAX_RATE_LIMIT = 1_000_000;
/** In minor units of any currency, it is a number that JSON keeps exactly. */
export const MAX_SPENDING_LIMIT = 1_000_000_000;
export const RATE_CARD_NAME = /^[a-z0-9][a-z0-9._-]{0,99}$/;

/** The unchecked input of an operator for a client. */
export interface ClientInput {
  name?: string;
  scopes?: readonly string[];
  features?: readonly string[];
  enableFeatures?: readonly string[];
  disableFeatures?: readonly string[];
  /** Requests per minute; null for the default. */
  rateLimit?: number | null;
  /** Null for an account of its own. */
  account?: string | null;
  rateCard?: string;
  /** Null for no limit. */
  spendingLimit?: number | null;
}

/** The checked input. Absent members were not given. */
export interface ClientTerms {
  name?: string;
  scopes?: Scope[];
  features?: Feature[];
  enableFeatures?: Feature[];
  disableFeatures?: Feature[];
  rateLimit?: number | null;
  account?: string | null;
  rateCard?: string | null;
  spendingLimit?: number | null;
}

/** Checks the given members. Throws invalid_request with all problems. */
export function checkTerms(input: ClientInput): ClientTerms {
  const problems: FieldProblem[] = [];
  const terms: ClientTerms = {};
  if (input.name !== undefined) terms.name = properName('name', input.name, problems);
  if (input.scopes !== undefined) {
    terms.scopes = knownWords('scopes', input.scopes, ALL_SCOPES, problems);
    if (input.scopes.length === 0) {
      problems.push({
        field: 'scopes',
        message: `must name at least one of ${ALL_SCOPES.join(', ')}.`,
      });
    }
  }
  for (const member of ['features', 'enableFeatures', 'disableFeatures'] as const) {
    const features = input[member];
    if (features !== undefined) terms[member] = knownWords(member, features, FEATURES, problems);
  }
  const both = terms.enableFeatures?.filter((one) => terms.disableFeatures?.includes(one)) ?? [];
  if (both.length > 0) {
    problems.push({
      field: 'disableFeatures',
      message: `names ${both.join(', ')}, and so does enableFeatures.`,
    });
  }
  if (input.rateLimit !== undefined) {
    const limit = input.rateLimit;
    terms.rateLimit = limit;
    if (limit !== null && !(Number.isInteger(limit) && limit >= 1 && limit <= MAX_RATE_LIMIT)) {
      problems.push({
        field: 'rateLimit',
        message: `must be a whole number from 1 to ${MAX_RATE_LIMIT}.`,
      });
    }
  }
  if (input.account !== undefined) {
    terms.account = input.account === null ? null : properName('account', input.account, problems);
  }
  if (input.rateCard !== undefined) {
    terms.rateCard = input.rateCard === STANDARD_RATE_CARD ? null : input.rateCard;
    if (!RATE_CARD_NAME.test(input.rateCard)) {
      problems.push({
        field: 'rateCard',
        message:
          'must have 1 to 100 characters a to z, 0 to 9, ".", "_" or "-", and begin with a letter or a digit.',
      });
    }
  }
  if (input.spendingLimit !== undefined) {
    const limit = input.spendingLimit;
    terms.spendingLimit = limit;
    if (limit !== null && !(Number.isInteger(limit) && limit >= 0 && limit <= MAX_SPENDING_LIMIT)) {
      problems.push({
        field: 'spendingLimit',
        message: `must be a whole number from 0 to ${MAX_SPENDING_LIMIT}.`,
      });
    }
  }
  if (problems.length > 0) {
    throw new StaveError('invalid_request', 'The client has invalid values.', {
      details: problems,
    });
  }
  return terms;
}

/** Throws conflict if a client has more than MAX_LIVE_SECRETS in a mode. */
export function refuseExcessSecrets(secrets: readonly ClientSecret[]): void {
  for (const mode of MODES) {
    const live = secrets.filter((one) => one.mode === mode && one.revokedAt === null);
    if (live.length > MAX_LIVE_SECRETS) {
      const present = live.slice(0, MAX_LIVE_SECRETS);
      throw new StaveError(
        'conflict',
        `The client has ${MAX_LIVE_SECRETS} live secrets for ${mode} mode, the greatest number allowed; ` +
          `revoke one first: ${present.map(describeSecret).join(' or ')}.`,
      );
    }
  }
}

/** Throws not_found. */
export function secretOf({ secrets }: Client, secretId: string): ClientSecret {
  const secret = secrets.find(({ id }) => id === secretId);
  if (secret === undefined) {
    throw new StaveError(
      'not_found',
      `The client has no secret with that id; it has ${secrets.map(describeSecret).join(', ') || 'none'}.`,
    );
  }
  return secret;
}

/** The kinds of change of an update; empty if it makes no difference. */
export function changesBetween(before: Client, after: Client): ChangeKind<'client'>[] {
  const terms = ({ name, scopes, features, rateLimit, account, rateCard, spendingLimit }: Client) =>
    JSON.stringify([name, scopes, features, rateLimit, account, rateCard, spendingLimit]);
  const changes: ChangeKind<'client'>[] = terms(before) === terms(after) ? [] : ['updated'];
  if (before.enabled !== after.enabled) changes.push(after.enabled ? 'enabled' : 'disabled');
  return changes;
}

/** @param names the names of all clients, to suggest one */
export function unknownClient(id: string, names: readonly string[] = []): StaveError {
  return new StaveError(
    'not_found',
    `There is no client ${id}${didYouMean(id, names)}; \`stave clients list\` shows them all.`,
  );
}

/** Throws `conflict` if a client has the most things of a kind in its mode. */
export function refuseOneMore(count: number, most: number, things: string): void {
  if (count < most) return;
  throw new StaveError(
    'conflict',
    `You have ${most} ${things}, the most of a client in one mode; delete one first.`,
  );
}

/** Two names with the same key differ only in case and in spaces at the ends. */
export function nameKey(name: string): string {
  return name.normalize('NFC').trim().toLowerCase();
}

/** Throws conflict if an existing client has one of the names. */
export function refuseKnownNames(names: readonly string[], existing: readonly string[]): void {
  const known = new Set(existing.map(nameKey));
  const taken = names.find((name) => known.has(nameKey(name)));
  if (taken === undefined) return;
  throw new StaveError(
    'conflict',
    `Another command has just created a client with the name ${JSON.stringify(taken)}. Nothing was created: run the command again.`,
  );
}

export function clientExists(id: string): StaveError {
  return new StaveError('conflict', `There is a client ${id} already.`);
}

function describeSecret({ id, mode, createdAt }: ClientSecret): string {
  return `${id} (${mode}, of ${new Date(createdAt).toISOString()})`;
}

function properName(field: string, given: string, problems: FieldProblem[]): string {
  const name = given.normalize('NFC').trim();
  if (name === '' || name.length > MAX_NAME_LENGTH || /\p{Cc}/u.test(name)) {
    problems.push({
      field,
      message: `must have 1 to ${MAX_NAME_LENGTH} characters and no control characters.`,
    });
  }
  return name;
}

/** Returns the known words once each, in the order of their definition. */
function knownWords<Word extends string>(
  field: string,
  given: readonly string[],
  known: readonly Word[],
  problems: FieldProblem[],
): Word[] {
  for (const word of new Set(given)) {
    if (!known.includes(word as Word)) {
      const hint = didYouMean(word, known) || `; the known ones are ${known.join(', ')}`;
      problems.push({ field, message: `"${word.slice(0, 100)}" is not known${hint}` });
    }
  }
  return known.filter((word) => given.includes(word));
}
