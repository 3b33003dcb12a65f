import { errors, type JWTHeaderParameters, type JWTPayload, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../kernel/clock.ts';
import type { Caller } from './caller.ts';
import type { Scope } from './client.ts';
import { invalidToken } from './invalid-token.ts';
import type { KeyRing } from './key-ring.ts';
import type { ClientRegistry, RegisteredClient } from './registry.ts';
import { TOKEN_ALGORITHM, TOKEN_AUDIENCE, TOKEN_ISSUER, TOKEN_TYPE } from './token-issuer.ts';
import { keyObject } from './token-key.ts';

/** Longer tokens are refused unread; one with every scope has about 700 bytes. */
const MAX_TOKEN_LENGTH = 4096;

/**
 * A JWS signed with HMAC-SHA-256 in its one canonical spelling. The last digit of 32 bytes in
 * base64url has two spare bits, which a lenient decoder passes over: four texts would be one token.
 */
const FORM = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

/** What a cached token holds beside its text: claims, sets and the entry itself, roughly. */
const ENTRY_OVERHEAD_BYTES = 1024;

/** Characters of a signature, the end of a token. It names the token, and is quicker to hash than all of it. */
const SIGNATURE_LENGTH = 43;

/** A token whose signature and claims were found good; what may change since is checked each time. */
interface VerifiedToken {
  token: string;
  keyId: string;
  clientId: string;
  secretId: string;
  mode: string;
  scopes: string[];
  lastDisabledSeq: number;
  /** Milliseconds since the epoch. */
  expiresAt: number;
  /** The client that `caller` was concluded from. */
  client: RegisteredClient | undefined;
  /** Undefined where that client no longer honours the token. */
  caller: Caller | undefined;
}

/**
 * Tells from a token who is calling. The signature is checked once and remembered by the token's
 * text; its expiry, its key, its secret and its client are checked on every call, so that a
 * revocation ends it as soon as the registry knows.
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
     * Brings registry and keys up to date, as far as the store can be reached. Another node may have
     * issued a token by a key, or for a client, that this one has yet to hear of.
     */
    catchUp?: () => Promise<unknown>;
    /** Bound of the cache; 16 MiB by default, some ten thousand tokens. */
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
   * Throws or rejects with invalid_token. Answers at once, in under a microsecond, for a token that
   * was seen before; only good tokens are remembered, so bad ones push none out.
   */
  verify(token: string): Caller | Promise<Caller> {
    if (token.length > MAX_TOKEN_LENGTH) {
      throw malformed();
    }
    const known = this.#verified.get(signatureOf(token));
    if (known?.token === token) {
      return this.#callerOf(known) ?? this.#callerAfterAll(known);
    }
    if (!FORM.test(token)) {
      throw malformed();
    }
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
        ? expired()
        : error instanceof errors.JOSEError
          ? malformed()
          : error;
    });
    const verified = readClaims(token, payload, protectedHeader.kid!);
    const caller = this.#callerOf(verified) ?? (await this.#callerAfterAll(verified));
    this.#verified.set(signatureOf(token), verified);
    return caller;
  }

  /** The caller of a token that is not honoured as far as this node knows, once it has caught up. */
  async #callerAfterAll(verified: VerifiedToken): Promise<Caller> {
    await this.#catchUp();
    const caller = this.#callerOf(verified);
    if (caller === undefined) {
      throw invalidToken(
        'The access token was revoked; request a new one from POST /v1/auth/token.',
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

  /** Undefined where the client does not honour it; throws where nobody can. */
  #callerOf(verified: VerifiedToken): Caller | undefined {
    if (this.#clock.now() >= verified.expiresAt) {
      this.#verified.delete(signatureOf(verified.token));
      throw expired();
    }
    if (this.#keyRing.find('token', verified.keyId) === undefined) {
      this.#verified.delete(signatureOf(verified.token));
      throw malformed();
    }
    const client = this.#registry.find(verified.clientId);
    if (client !== verified.client) {
      verified.client = client;
      verified.caller = client && conclude(verified, client);
    }
    return verified.caller;
  }
}

/** Who is calling, as far as the client still honours the token; undefined where it does not at all. */
function conclude(verified: VerifiedToken, client: RegisteredClient): Caller | undefined {
  const secret = client.liveSecrets.get(verified.secretId);
  if (
    !client.enabled ||
    secret?.mode !== verified.mode ||
    verified.lastDisabledSeq < client.lastDisabledSeq
  ) {
    return undefined;
  }
  return {
    clientId: client.id,
    name: client.name,
    secretId: secret.id,
    mode: secret.mode,
    scopes: new Set(
      verified.scopes.filter((scope): scope is Scope => client.scopes.has(scope as Scope)),
    ),
    features: client.features,
    rateLimit: client.rateLimit,
    playlistIds: client.playlistIds,
    tokenExpiresAt: verified.expiresAt,
  };
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
  } = payload;
  if (
    typeof clientId !== 'string' ||
    clientId !== sub ||
    typeof secretId !== 'string' ||
    typeof mode !== 'string' ||
    typeof scope !== 'string' ||
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
    expiresAt: exp! * 1000,
    client: undefined,
    caller: undefined,
  };
}

function malformed() {
  return invalidToken(
    'The access token is not one that this service issued; request one from POST /v1/auth/token.',
  );
}

function expired() {
  return invalidToken('The access token has expired; request a new one from POST /v1/auth/token.');
}
