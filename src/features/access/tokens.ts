import { createSecretKey, type KeyObject } from 'node:crypto';
import { errors, type JWTHeaderParameters, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import { isDigest } from '../../common/browser-use.ts';
import type { BrowserUse, Caller, Mode, Scope } from '../../common/caller.ts';
import type { Clock } from '../../common/clock.ts';
import { invalidToken, type NamedClient } from '../../common/errors.ts';
import { newId } from '../../common/ids.ts';
import { keptIn } from '../../common/memory/caches.ts';
import type { SigningKey } from './client.ts';
import type { KeyRing } from './key-ring.ts';
import type { ClientRegistry, RegisteredClient } from './registry.ts';
import { isSessionScope } from './seat.ts';

/** The lifetime of an access token (docs/contract/authentication.md#access-tokens). */
export const TOKEN_SECONDS = 3600;

/** RFC 9068 §2.1. */
const TOKEN_TYPE = 'at+jwt';
/** See docs/adr/0002-access-tokens.md. */
const TOKEN_ALGORITHM = 'HS256';
/** The issuer is a name and not an address, so that tokens stay valid when the address changes. */
const TOKEN_ISSUER = 'stave';
/** Stave issues tokens only for itself. */
const TOKEN_AUDIENCE = 'stave';

/** What a token says beyond the claims of every token. */
interface FurtherClaims {
  /** The id of the session that gave the token. */
  ses?: string;
  /** The digests of the origins of a browser token, and of its user. */
  org?: string[];
  usr?: string;
}

/** Whether a value is one of the claim. A token has them in this order, between `dis` and `iss`. */
const FURTHER_CLAIMS: Readonly<Record<keyof FurtherClaims, (value: unknown) => boolean>> = {
  ses: (value) => typeof value === 'string',
  org: (value) => Array.isArray(value) && value.length > 0 && value.every(isDigest),
  usr: isDigest,
};

/**
 * Signs access tokens: JWTs in the profile of RFC 9068. They contain client, scopes, `mode`, the secret or seat that
 * they came from (`sid`), and the `seq` of the change that last disabled the client (`dis`), so that a later one
 * invalidates them.
 */
export class TokenIssuer {
  readonly #keyRing: KeyRing;
  readonly #clock: Clock;

  constructor(deps: { keyRing: KeyRing; clock: Clock }) {
    this.#keyRing = deps.keyRing;
    this.#clock = deps.clock;
  }

  /**
   * Issues a token that is valid from the current second. Does not check the scopes. `TokenVerifier` accepts the members
   * only in this order.
   *
   * @param grant.seconds the lifetime; TOKEN_SECONDS by default, which is also the longest: so long does a retired key
   * verify tokens
   */
  async issue(grant: {
    client: RegisteredClient;
    secretId: string;
    mode: Mode;
    scopes: readonly Scope[];
    seconds?: number;
    further?: FurtherClaims;
  }): Promise<string> {
    const key = this.#keyRing.signing('token');
    const issuedAt = Math.floor(this.#clock.now() / 1000);
    return new SignJWT({
      client_id: grant.client.id,
      scope: grant.scopes.join(' '),
      mode: grant.mode,
      sid: grant.secretId,
      dis: grant.client.lastDisabledSeq,
      ...furtherClaims(grant.further ?? {}),
    })
      .setProtectedHeader({ alg: TOKEN_ALGORITHM, typ: TOKEN_TYPE, kid: key.id })
      .setIssuer(TOKEN_ISSUER)
      .setAudience(TOKEN_AUDIENCE)
      .setSubject(grant.client.id)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + (grant.seconds ?? TOKEN_SECONDS))
      .setJti(newId())
      .sign(keyObject(key));
  }
}

const imported = new WeakMap<SigningKey, KeyObject>();

/** Caches the imported form, because the import costs more than the use. */
function keyObject(key: SigningKey): KeyObject {
  return keptIn(imported, key, () => createSecretKey(key.secret));
}

/** Longer tokens are rejected without being read. A token with every scope has about 700 bytes. */
const MAX_TOKEN_LENGTH = 4096;

/**
 * The canonical form of a JWS that is signed with HMAC-SHA-256. The last digit of 32 bytes in base64url has
 * two unused bits, which a lenient decoder ignores, so four texts would be one token.
 */
const FORM = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

/** The approximate memory of a cached token without its text: claims, sets and the entry itself. */
const ENTRY_OVERHEAD_BYTES = 1024;

/**
 * The length of a signature, which is the end of a token. It identifies the token, and is faster to hash than
 * the whole token.
 */
const SIGNATURE_LENGTH = 43;

/** A token with a valid signature and valid claims. Each use checks everything that may change later. */
interface VerifiedToken {
  token: string;
  keyId: string;
  clientId: string;
  secretId: string;
  mode: string;
  scopes: string[];
  lastDisabledSeq: number;
  further: FurtherClaims;
  /** In milliseconds since the epoch. */
  expiresAt: number;
  /** The client that `caller` was derived from. */
  client: RegisteredClient | undefined;
  /** Undefined if that client does not accept the token. */
  caller: Caller | undefined;
}

/**
 * Finds the caller of a token. The signature is checked once and cached by the text of the token. Its expiry,
 * key, secret and client are checked on every call, so that a revocation takes effect as soon as the registry
 * has it.
 */
export class TokenVerifier {
  readonly #keyRing: KeyRing;
  readonly #registry: ClientRegistry;
  readonly #clock: Clock;
  readonly #catchUp: () => Promise<unknown>;
  /** By signature. */
  readonly #verified: LRUCache<string, VerifiedToken>;

  constructor(deps: {
    keyRing: KeyRing;
    registry: ClientRegistry;
    clock: Clock;
    /**
     * Updates the registry and the keys, if the store can be reached. Another node may have issued a token
     * with a key or for a client that this node does not have yet.
     */
    catchUp?: () => Promise<unknown>;
    /** The greatest size of the cache. Default: 16 MiB, some ten thousand tokens. */
    cacheBytes?: number;
  }) {
    this.#keyRing = deps.keyRing;
    this.#registry = deps.registry;
    this.#clock = deps.clock;
    this.#catchUp = deps.catchUp ?? (async () => {});
    this.#verified = new LRUCache({
      maxSize: deps.cacheBytes ?? 16 * 1024 * 1024,
      sizeCalculation: ({ token }) => token.length + ENTRY_OVERHEAD_BYTES,
    });
  }

  /**
   * Throws or rejects with invalid_token. Returns synchronously for a token that was verified before. Only
   * valid tokens are cached, so invalid ones evict none.
   */
  verify(token: string): Caller | Promise<Caller> {
    if (token.length > MAX_TOKEN_LENGTH) throw malformed();
    const known = this.#verified.get(signatureOf(token));
    if (known?.token === token) {
      return this.#callerOf(known) ?? this.#callerAfterCatchUp(known);
    }
    if (!FORM.test(token)) throw malformed();
    return this.#verifyAnew(token);
  }

  async #verifyAnew(token: string): Promise<Caller> {
    const { payload, protectedHeader } = await jwtVerify(token, (header) => this.#keyFor(header), {
      algorithms: [TOKEN_ALGORITHM],
      typ: TOKEN_TYPE,
      issuer: TOKEN_ISSUER,
      audience: TOKEN_AUDIENCE,
      requiredClaims: ['sub', 'iat', 'exp', 'jti'],
      currentDate: new Date(this.#clock.now()),
    }).catch((error) => {
      throw error instanceof errors.JWTExpired
        ? expired(clientOf(error.payload))
        : error instanceof errors.JOSEError
          ? malformed()
          : error;
    });
    const verified = readClaims(token, payload, protectedHeader.kid!);
    if (!token.startsWith(`${issuedForm(payload, protectedHeader.kid!)}.`)) {
      throw malformed();
    }
    const caller = this.#callerOf(verified) ?? (await this.#callerAfterCatchUp(verified));
    this.#verified.set(signatureOf(token), verified);
    return caller;
  }

  /** The caller of a token that this node does not accept yet, after it has caught up with the log. */
  async #callerAfterCatchUp(verified: VerifiedToken): Promise<Caller> {
    await this.#catchUp();
    const caller = this.#callerOf(verified);
    if (caller === undefined) {
      throw invalidToken(
        verified.further.ses === undefined
          ? 'The access token was revoked; request a new one from POST /v1/auth/token.'
          : 'The session of the access token has ended, or may do less now; request a new token from POST /session/token, or sign in again.',
        { client: { clientId: verified.clientId, secretId: verified.secretId } },
      );
    }
    return caller;
  }

  async #keyFor({ kid = '' }: JWTHeaderParameters) {
    if (this.#keyRing.find('token', kid) === undefined) await this.#catchUp();
    const key = this.#keyRing.find('token', kid);
    if (key === undefined) {
      throw new errors.JWSSignatureVerificationFailed('unknown or retired key');
    }
    return keyObject(key);
  }

  /** Undefined if the client does not accept the token. Throws if no client can accept it. */
  #callerOf(verified: VerifiedToken): Caller | undefined {
    if (this.#clock.now() >= verified.expiresAt) {
      this.#verified.delete(signatureOf(verified.token));
      throw expired({ clientId: verified.clientId, secretId: verified.secretId });
    }
    if (this.#keyRing.find('token', verified.keyId) === undefined) {
      this.#verified.delete(signatureOf(verified.token));
      throw malformed();
    }
    const client = this.#registry.find(verified.clientId);
    if (client !== verified.client) {
      verified.client = client;
      verified.caller = client && callerFor(verified, client);
    }
    return verified.caller;
  }
}

/** The caller with the scopes that the client still holds; undefined if the client does not accept the token. */
function callerFor(verified: VerifiedToken, client: RegisteredClient): Caller | undefined {
  const { secretId, scopes, further } = verified;
  const { ses } = further;
  if (ses !== undefined && client.sessions.get(ses)?.holderId !== secretId) return undefined;
  const seat = ses === undefined ? undefined : client.seats.get(secretId);
  const holder = seat ?? client.liveSecrets.get(secretId);
  if (
    !client.enabled ||
    holder?.mode !== verified.mode ||
    verified.lastDisabledSeq < client.lastDisabledSeq ||
    // The role was lowered, and the session has no new id yet.
    (seat !== undefined && !scopes.every((scope) => isSessionScope(scope as Scope, seat.role)))
  ) {
    return undefined;
  }
  return {
    clientId: client.id,
    name: client.name,
    secretId,
    seat: seat === undefined ? null : { id: seat.id, name: seat.name, role: seat.role },
    ...(ses !== undefined && { isOfSession: true as const }),
    browser: browserUseOf(further),
    mode: holder.mode,
    scopes: new Set(scopes.filter((scope): scope is Scope => client.scopes.has(scope as Scope))),
    features: client.features,
    rateLimit: client.rateLimit,
    account: client.account,
    tokenExpiresAt: verified.expiresAt,
  };
}

function browserUseOf({ org, usr }: FurtherClaims): BrowserUse | null {
  return org === undefined ? null : { origins: new Set(org), user: usr ?? null };
}

function signatureOf(token: string): string {
  return token.slice(-SIGNATURE_LENGTH);
}

function readClaims(token: string, payload: JWTPayload, keyId: string): VerifiedToken {
  const {
    client_id: clientId,
    sid: secretId,
    mode,
    scope,
    dis: lastDisabledSeq,
    sub,
    exp,
    jti,
  } = payload;
  if (
    typeof clientId !== 'string' ||
    clientId !== sub ||
    typeof secretId !== 'string' ||
    typeof mode !== 'string' ||
    typeof scope !== 'string' ||
    typeof jti !== 'string' ||
    typeof lastDisabledSeq !== 'number'
  ) {
    throw malformed();
  }
  return {
    token,
    keyId,
    clientId,
    secretId,
    mode,
    scopes: scope.split(' '),
    lastDisabledSeq,
    further: furtherClaims(payload),
    expiresAt: exp! * 1000,
    client: undefined,
    caller: undefined,
  };
}

/** The further claims of a payload, in their order. Throws invalid_token for a value that is not one of its claim. */
function furtherClaims(payload: JWTPayload | FurtherClaims): FurtherClaims {
  const values: Readonly<Record<string, unknown>> = { ...payload };
  const present = Object.entries(FURTHER_CLAIMS).filter(([name]) => values[name] !== undefined);
  if (!present.every(([name, isOf]) => isOf(values[name]))) throw malformed();
  return Object.fromEntries(present.map(([name]) => [name, values[name]]));
}

/**
 * The header and payload that TokenIssuer writes for these claims. JSON and base64url have many forms of one
 * value, and libraries differ in how they read a duplicate member, an unknown header or a byte order mark, so
 * no other form is accepted. Before a release issues another form, an earlier release must accept both.
 */
function issuedForm(payload: JWTPayload, keyId: string): string {
  const header = { alg: TOKEN_ALGORITHM, typ: TOKEN_TYPE, kid: keyId };
  const { client_id, scope, mode, sid, dis, sub, iat, exp, jti } = payload;
  const claims = { client_id, scope, mode, sid, dis, ...furtherClaims(payload) };
  const registered = { iss: TOKEN_ISSUER, aud: TOKEN_AUDIENCE, sub, iat, exp, jti };
  return [header, { ...claims, ...registered }]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
}

function malformed() {
  return invalidToken(
    'The access token is not one that this service issued; request one from POST /v1/auth/token.',
  );
}

function expired(client: NamedClient) {
  return invalidToken('The access token has expired; request a new one from POST /v1/auth/token.', {
    client,
  });
}

/** The client of an expired token, whose signature is valid. */
function clientOf({ client_id: clientId, sid: secretId }: JWTPayload): NamedClient {
  return { clientId: String(clientId), secretId: String(secretId) };
}
